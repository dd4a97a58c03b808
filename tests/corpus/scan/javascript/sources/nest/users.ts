import { Controller, Get, Query, Body, Param } from '@nestjs/common';
import { exec } from 'child_process';

@Controller('users')
export class UsersController {
  @Get()
  list(@Query('name') name: string) { // source: name
    exec('ls ' + name); // sink: command-injection name
  }

  @Get('x')
  other(@Body() body: { host: string }) { // source: body
    exec('ping ' + body.host); // sink: command-injection body
  }

  @Get('y')
  constant(name: string) {
    exec('ls ' + name); // ok: command-injection
  }
}
