import { Controller, Get, Param } from '@nestjs/common';
import { exec } from 'child_process';

@Controller()
export class Files {
  @Get(':id')
  show(@Param('id') id: string) { // source: input
    exec('head ' + id); // sink: command-injection input
  }
}
