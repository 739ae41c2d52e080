/// Texts for the inputs of programs. Some pairs have different bytes and are equal in Swift, and
/// some names are in the form of macOS.
enum Words {
    /// Pairs that differ in their bytes alone: é, the Kelvin sign, a syllable of Hangul, a file's
    /// name.
    static let twins = [
        "\u{E9}", "e\u{301}", "K", "\u{212A}", "\u{AC00}", "\u{1100}\u{1161}",
        "Caf\u{E9}.txt", "Cafe\u{301}.txt", "\u{C5}", "A\u{30A}", "\u{212B}",
    ]
    static let plain = [
        "", "a", "b", "seven of nine", "a/b", "~0", "%2F", "\"", "\n", "\u{0}", "x!",
    ]

    /// Names of readers of streams.
    static let readers = ["r1", "r\u{E9}", "re\u{301}"]

    /// The beginning of a secret, which may occur in a request alone.
    static let secret = "s3cr3t-"

    /// The beginning of all personal texts, which no file has.
    static let personal = "pers0nal-"

    /// The beginning of all texts that only one session writes.
    static let mark = "pl4nt-"

    /// The mark of a session.
    static func mark(of owner: String) -> String { mark + owner + "." }

    static func text(_ chance: inout Chance) -> String {
        chance.happens(3, in: 5) ? chance.pick(twins) : chance.pick(plain)
    }

    /// Returns a text that may stand in a path, as the id of an instance.
    static func id(_ chance: inout Chance) -> String {
        chance.happens(4, in: 5) ? chance.pick(Array(twins.prefix(6))) : chance.pick(["a", "b c"])
    }

    /// Returns a number. Some numbers are equal and have another form in JSON.
    static func number(_ chance: inout Chance) -> Double {
        chance.pick([0.0, -0.0, 1, 0.1, -2.5, 1e300])
    }
}
