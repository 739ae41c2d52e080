import StoreTexts

extension Problem {
    /// The maximum number of bytes of a client's own text in a message.
    package static let excerptBytesMax = 128

    /// Returns a client's text in a form that is safe to repeat: at most ``excerptBytesMax`` bytes.
    /// U+FFFD replaces characters that a terminal or a log could interpret.
    package static func excerpt(_ text: String) -> String {
        var result = ""
        var count = 0
        for scalar in text.unicodeScalars {
            count += UTF8.width(scalar)
            guard count <= excerptBytesMax else { return result + "…" }
            result.unicodeScalars.append(scalar.isPrintable ? scalar : "\u{FFFD}")
        }
        return result
    }

    static func optional(_ name: String, _ value: String?) -> [ProblemMember] {
        value.map { [ProblemMember(name, .string($0))] } ?? []
    }
}
