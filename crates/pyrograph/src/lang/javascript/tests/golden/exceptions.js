function all(a) { let x = a; try { x = f(x); x = g(x); throw x; } catch (e) { use(e, x); } finally { done(x); } return x; }
function rethrow(a) { try { f(a); } catch ({ message }) { throw message; } }
function noCatch(a) { try { return f(a); } finally { done(a); } }
function nested(a) { try { try { f(a); } finally { g(a); } } catch (e) { use(e); } }
function noBinding(a) { try { a = f(a); } catch { a = 1; } return a; }
function guarded(a) { try { if (!/^a$/.test(a)) throw 1; } catch (e) { return; } use(a); }
