/// Texts that programs are fed with: among them pairs that Swift takes for equal and that have
/// other bytes, and names as macOS writes them.
enum Words {
    /// Told apart by their bytes alone: é, the Kelvin sign, a syllable of Hangul, a file's name.
    static let twins = [
        "\u{E9}", "e\u{301}", "K", "\u{212A}", "\u{AC00}", "\u{1100}\u{1161}",
        "Caf\u{E9}.txt", "Cafe\u{301}.txt", "\u{C5}", "A\u{30A}", "\u{212B}",
    ]
    static let plain = [
        "", "a", "b", "seven of nine", "a/b", "~0", "%2F", "\"", "\n", "\u{0}", "x!",
    ]

    /// Names of those who read streams.
    static let readers = ["r1", "r\u{E9}", "re\u{301}"]

    /// What must be found nowhere but in a request.
    static let secret = "s3cr3t-"

    /// What all texts begin with that a session alone writes.
    static let mark = "pl4nt-"

    /// The mark of a session.
    static func mark(of owner: String) -> String { mark + owner + "." }

    static func text(_ chance: inout Chance) -> String {
        chance.happens(3, in: 5) ? chance.pick(twins) : chance.pick(plain)
    }

    /// A text that may stand in a path and begins an instance.
    static func id(_ chance: inout Chance) -> String {
        chance.happens(4, in: 5) ? chance.pick(Array(twins.prefix(6))) : chance.pick(["a", "b c"])
    }

    /// Numbers that are equal and are written otherwise, and others.
    static func number(_ chance: inout Chance) -> Double {
        chance.pick([0.0, -0.0, 1, 0.1, -2.5, 1e300])
    }
}
