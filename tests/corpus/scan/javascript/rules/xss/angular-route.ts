import { Component } from '@angular/core';
import { DomSanitizer } from '@angular/platform-browser';
import { ActivatedRoute } from '@angular/router';

@Component({ template: '' })
export class Page {
  constructor(private route: ActivatedRoute, private sanitizer: DomSanitizer) {}

  show() {
    return this.sanitizer.bypassSecurityTrustHtml(this.route.snapshot.queryParams.text); // source: text // sink: xss text
  }
}
