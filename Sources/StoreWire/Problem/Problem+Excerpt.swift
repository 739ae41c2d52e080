import StoreTexts

extension Problem {
    /// How much of a client's own text a message repeats.
    package static let excerptBytesMax = 128

    /// What a client sent, made fit to be repeated: at most ``excerptBytesMax`` bytes, and nothing
    /// that a terminal or a log would act upon.
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
