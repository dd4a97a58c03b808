//! Interned texts.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::FixedState;

/// Number of an interned text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(pub u32);

/// Table of interned texts.
#[derive(Debug)]
pub struct Names {
    texts: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, Name, FixedState>,
}

macro_rules! well_known {
    ($($(#[$doc:meta])* $constant:ident = $number:literal $text:literal;)*) => {
        impl Names {
            $($(#[$doc])* pub const $constant: Name = Name($number);)*

            const WELL_KNOWN: &[&str] = &[$($text),*];
        }
    };
}

well_known! {
    /// Elements at unknown positions, and fields with computed keys.
    ELEMENT = 0 "%element";
    /// Parent in the prototype chain.
    PARENT = 1 "%parent";
    /// `prototype` of functions.
    PROTOTYPE = 2 "prototype";
    /// `exports` of CommonJS modules.
    EXPORTS = 3 "exports";
    /// `default` of ES modules.
    DEFAULT = 4 "default";
    /// Any field.
    ANY = 5 "%any";
    /// Everything below a value.
    CONTENT = 6 "%content";
    /// `constructor` of prototypes.
    CONSTRUCTOR = 7 "constructor";
    /// `length`.
    LENGTH = 8 "length";
    /// `call`.
    CALL = 9 "call";
    /// `apply`.
    APPLY = 10 "apply";
    /// `bind`.
    BIND = 11 "bind";
    /// Keys of maps.
    KEY = 12 "%key";
    /// Values of maps.
    VALUE = 13 "%value";
    /// `__proto__`.
    PROTO = 14 "__proto__";
    /// `size`.
    SIZE = 15 "size";
    /// Objects whose fields an object copies.
    COPIED = 16 "%copied";
    /// All fields that no instruction and no model stores by name.
    OTHER = 17 "%other";
    /// Reason for which a promise is rejected.
    ERROR = 18 "%error";
    /// Value that a generator returns.
    RETURNED = 19 "%returned";
    /// Values that a consumer sends to a generator.
    SENT = 20 "%sent";
    /// Listeners of all events of an emitter.
    LISTENERS = 21 "%listeners";
    /// Listeners of events whose names are not constant.
    ANY_EVENT = 22 "%listeners ?";
    /// `[Symbol.iterator]`.
    ITERATOR = 23 "@@iterator";
    /// `[Symbol.asyncIterator]`.
    ASYNC_ITERATOR = 24 "@@asyncIterator";
    /// Errors that a consumer throws into a generator.
    THROWN = 25 "%thrown";
}

impl Default for Names {
    fn default() -> Names {
        let mut names = Names { texts: Vec::new(), numbers: HashMap::default() };
        for text in Names::WELL_KNOWN {
            names.intern(text);
        }
        names.intern("%values");
        for number in 0..Names::SLOTS {
            names.intern(&format!("%value {number}"));
        }
        // Positions of arguments.
        for position in 0..16 {
            names.intern(&position.to_string());
        }
        names
    }
}

impl Names {
    /// Values of maps under constant keys, all of them.
    pub const KEYED: Name = Name(Names::WELL_KNOWN.len() as u32);

    /// Number of fields for values of maps under constant keys.
    pub const SLOTS: u32 = 64;

    /// Values of maps under the constant keys with this number.
    #[must_use]
    pub fn slot(number: usize) -> Name {
        Name(Names::KEYED.0 + 1 + (number % Names::SLOTS as usize) as u32)
    }

    /// True for fields with values of maps under constant keys.
    #[must_use]
    pub fn is_keyed(name: Name) -> bool {
        (Names::KEYED.0..=Names::KEYED.0 + Names::SLOTS).contains(&name.0)
    }

    /// Number of a text.
    pub fn intern(&mut self, text: &str) -> Name {
        if let Some(&name) = self.numbers.get(text) {
            return name;
        }
        let name = Name(u32::try_from(self.texts.len()).unwrap_or(u32::MAX));
        let text: Arc<str> = text.into();
        self.texts.push(text.clone());
        self.numbers.insert(text, name);
        name
    }

    /// Number of interned texts.
    #[must_use]
    pub fn count(&self) -> usize {
        self.texts.len()
    }

    /// Number of a text that may not be interned.
    #[must_use]
    pub fn get(&self, text: &str) -> Option<Name> {
        self.numbers.get(text).copied()
    }

    /// Text of a number.
    #[must_use]
    pub fn text(&self, name: Name) -> &str {
        &self.texts[name.0 as usize]
    }

    /// Names of accessors by the names of their fields: of `get x` with the prefix `get `.
    #[must_use]
    pub fn accessors(&self, prefix: &str) -> HashMap<Name, Name, FixedState> {
        let fields = (0_u32..).zip(&self.texts);
        fields.filter_map(|(number, text)| Some((self.get(text.strip_prefix(prefix)?)?, Name(number)))).collect()
    }

    /// True for pseudo-fields that are no elements: a computed key does not read them.
    #[must_use]
    pub fn is_hidden(name: Name) -> bool {
        matches!(
            name,
            Names::KEY
                | Names::VALUE
                | Names::ERROR
                | Names::RETURNED
                | Names::SENT
                | Names::THROWN
                | Names::LISTENERS
                | Names::ANY_EVENT
                | Names::PARENT
                | Names::COPIED
        ) || Names::is_keyed(name)
    }

    /// Name of the field with the listeners of an event.
    #[must_use]
    pub fn listeners(event: &str) -> String {
        format!("%listeners {event}")
    }

    /// True for names of array positions.
    #[must_use]
    pub fn is_position(&self, name: Name) -> bool {
        let text = self.text(name);
        !text.is_empty() && text.len() < 10 && text.bytes().all(|byte| byte.is_ascii_digit())
    }
}
