/// A named value that follows the message of a log line.
package struct LogField: Sendable, Equatable {
    package let name: String
    package let value: LogValue

    package init(_ name: String, _ value: LogValue) {
        self.name = name
        self.value = value
    }
}

/// The value of a field, written so that no text in the value can end the field or the line.
package enum LogValue: Sendable, Equatable {
    /// Any text, in quotation marks.
    case text(String)
    /// A name, in quotation marks only if it has unusual characters.
    case name(String)
    case number(Int64)
    /// A number of milliseconds, with three digits after the point.
    case milliseconds(Double)
    case flag(Bool)

    package static func count(_ number: some BinaryInteger) -> LogValue {
        .number(Int64(clamping: number))
    }

    /// The value without quotation marks and escapes.
    package var unquotedText: String {
        switch self {
        case .text(let text), .name(let text): text
        case .number, .milliseconds, .flag: json
        }
    }

    /// The value as it is written in a line of ``LogFormat/text``.
    var text: String {
        switch self {
        case .text(let text): "\"\(LogText.escaped(text))\""
        case .name(let name): LogText.isPlain(name) ? name : "\"\(LogText.escaped(name))\""
        case .number, .milliseconds, .flag: json
        }
    }

    var json: String {
        switch self {
        case .text(let text), .name(let text): LogText.json(text)
        case .number(let number): String(number)
        case .milliseconds(let milliseconds): Self.decimal(milliseconds)
        case .flag(let flag): flag ? "true" : "false"
        }
    }

    /// Returns a number with three digits after the point; 0 for a negative number.
    private static func decimal(_ milliseconds: Double) -> String {
        let largest = 1e15
        let thousandths = Int64(min(largest, max(0, milliseconds * 1_000)).rounded(.down))
        let fraction = String(thousandths % 1_000)
        return "\(thousandths / 1_000)." + String(repeating: "0", count: 3 - fraction.count)
            + fraction
    }
}
