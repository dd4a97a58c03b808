//! Programs that are made to break the front end.

use crate::lang::python::lower;
use crate::lang::{LowerError, LowerOptions};

/// Lowers a program, whatever the result is.
fn attempt(program: &str) -> Result<(), LowerError> {
    let module = lower(program, &LowerOptions::default())?;
    assert_eq!(module.check(program), Ok(()));
    Ok(())
}

#[test]
fn deep_programs_end() {
    for depth in [100, 10_000, 150_000] {
        for program in [
            format!("x = {}1{}", "(".repeat(depth), ")".repeat(depth)),
            format!("x = {}1{}", "[".repeat(depth), "]".repeat(depth)),
            format!("x = a{}", "()".repeat(depth)),
            format!("x = a{}", ".b".repeat(depth)),
            format!("x = a{}", "[0]".repeat(depth)),
            format!("x = 1{}", " + 1".repeat(depth)),
            format!("x = 'a'{}", " + y".repeat(depth)),
            format!("x = {}1", "-".repeat(depth)),
            format!("x = {}1", "not ".repeat(depth)),
            format!("x = {}1", "lambda: ".repeat(depth)),
            format!("x = {}1", "1 if a else ".repeat(depth)),
            format!("x = 1{}", " ** 1".repeat(depth)),
            format!("if a:\n    pass\n{}", "elif b:\n    pass\n".repeat(depth.min(20_000))),
            format!("x = a{}", " and b".repeat(depth)),
            format!("x = 1{}", " < 1".repeat(depth)),
            format!("match x:\n    case {}1{}:\n        pass\n", "[".repeat(depth), "]".repeat(depth)),
            format!("match x:\n    case 1{}:\n        pass\n", " | 1".repeat(depth)),
            format!("x = {}z{}", "[y for y in ".repeat(depth), "]".repeat(depth)),
            format!("x = {}1{}", "{1: ".repeat(depth), "}".repeat(depth)),
            format!("x = {}1{}", "(y := ".repeat(depth), ")".repeat(depth)),
            format!("{}y{} = x", "(".repeat(depth), ",)".repeat(depth)),
            format!("x: {}int{} = 1", "a[".repeat(depth), "]".repeat(depth)),
            format!("async def f():\n    return {}x{}", "await (".repeat(depth), ")".repeat(depth)),
            format!("{}x = 1", "a = ".repeat(depth)),
            format!("del {}x{}", "(".repeat(depth), ")".repeat(depth)),
            format!("x = f\"{}1{}\"", "{(".repeat(depth), ")}".repeat(depth)),
            format!("{}x\ndef f(): pass\n", "@a(".to_owned() + &"b(".repeat(depth)) + &")".repeat(depth + 1),
            format!("x = [{}]", "1, ".repeat(depth)),
            format!("x = 'a' {}", "'b' ".repeat(depth)),
            format!("f({})", "a=1, ".repeat(depth.min(20_000))),
            "x = [x]\n".repeat(depth.min(20_000)),
            "from a import *\n".repeat(depth.min(5_000)) + "print(b)\n",
        ] {
            let result = attempt(&program);
            let is_known = matches!(result, Ok(()) | Err(LowerError::TooDeep | LowerError::Syntax { .. }));
            assert!(is_known, "{} {depth}: {result:?}", &program[..30]);
            if depth == 100 && !program.starts_with(['(', '@']) && !program.starts_with("x = f") {
                assert_eq!(result, Ok(()), "{}", &program[..30]);
            }
        }
    }
    let blocks: String = (0..90).map(|level| format!("{}if x:\n", " ".repeat(level))).collect();
    assert_eq!(attempt(&format!("{blocks}{}pass\n", " ".repeat(90))), Ok(()));
}

#[test]
fn damaged_programs_are_errors() {
    for program in ["def", "x = (", "\u{0}", "class:", "f'{", "match", "return = 5", "\\", "'", "x = 5 5", "async"] {
        let result = attempt(program);
        assert!(matches!(result, Err(LowerError::Syntax { .. }) | Ok(())), "{program}: {result:?}");
    }
}

/// `except E, e:` is not among them: since Python 3.14 it handles two exceptions.
#[test]
fn programs_of_python_2_are_errors() {
    for program in [
        "print 'a'\n",
        "exec 'x' in y\n",
        "raise E, 'x'\n",
        "x = 0777\n",
        "x = `y`\n",
        "if x <> y: pass\n",
        "def f((a, b)): pass\n",
        "x = ur'a'\n",
        "x = 10L\n",
    ] {
        let result = attempt(program);
        assert!(matches!(result, Err(LowerError::Syntax { .. })), "{program}: {result:?}");
    }
}

#[test]
fn strange_programs_are_lowered() {
    for program in [
        "",
        "return 5",
        "break",
        "yield 1",
        "del x, x[0], x.y\n",
        "x: int\nprint(x)",
        "nonlocal_ = 1\ndef f():\n    global x\n    del x\n",
        "def f(a, /, b, *c, d=1, **e):\n    return a, b, c, d, e\n",
        "class A(A): pass",
        "class A(B, metaclass=C): x = x\n",
        "for x in x: pass\nelse: x = 1\n",
        "while True: break\n",
        "try:\n    pass\nexcept* E as e:\n    raise\nelse:\n    x = 1\nfinally:\n    del x\n",
        "with a as (b, c), d as e.f, g as h[0]: pass",
        "x = y = z = [*a, *b]\n(a, *b), c = d\n",
        "x[1:2, ::3] = 5\nprint(x[1:], x[...])\n",
        "lambda *a, **k: (yield)\n",
        "def f():\n    return super().f()\n",
        "class A:\n    def f(self):\n        return super().f, super().__init__(), self\n",
        "match x:\n    case {'a': 1, **r} | [1, *r]: pass\n    case A(1, b=2) as c if c: pass\n    case -1 | None | 'a': pass\n",
        "print(f'{x!r:>{w}} {y=}', '%(a)s %s' % b, '%s %s' % c, '{} {a.b[c]}'.format(*d, **e))\n",
        "[x := 1, [y := x for x in z]]\n",
        "@a.b(c)\n@d\nclass E:\n    @property\n    def f(self): return 1\n    @f.setter\n    def f(self, v): pass\n",
        "def f(x=[], *, y={}): x.append(y); x.insert(0, 1); x.pop(-1); x.extend(x); return x\n",
        "type X = int\ndef f[T](x: T) -> T: return x\n",
        "async def f():\n    async with a as b:\n        async for c in d:\n            await e\n    return [g async for g in h]\n",
        "from . import a\nfrom .. import *\nimport a.b.c, d as e\nfrom ...x.y import z as w\n",
        "if __name__ == '__main__':\n    import sys\n    sys.exit(1)\nx = 1\n",
    ] {
        let result = attempt(program);
        assert!(matches!(result, Err(LowerError::Syntax { .. }) | Ok(())), "{program}: {result:?}");
    }
}
