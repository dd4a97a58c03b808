export function leave(ctx, target) {
  if (!target) return ctx.redirect('/');
  return ctx.redirect(target); // sink: open-redirect to
}
