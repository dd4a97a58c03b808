import { Controller, Get, Param, ParseIntPipe } from '@nestjs/common';
import { exec } from 'child_process';

@Controller()
export class Files {
  @Get(':id')
  show(@Param('id', ParseIntPipe) id: number) {
    exec('head -n ' + id); // ok: command-injection
  }
}
