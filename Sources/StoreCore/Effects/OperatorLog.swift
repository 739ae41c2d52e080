/// Writes lines for the operator of the store: what an effect or a use case met outside of it, and
/// why something failed.
///
/// ```swift
/// context.dependencies.log.warning("login refused", ["user": userName, "reason": reason])
/// // store-server: warning: login refused user="ada" reason="The name or the password is wrong." …
/// ```
///
/// Nothing waits: a server writes its lines on a thread of their own, and where more than it can
/// hold are waiting, the newest are lost, and a line has their number. What a client has sent
/// belongs into fields, and secrets belong nowhere.
public struct OperatorLog: Sendable {
    /// How much a line matters.
    public enum Level: Sendable {
        /// What was done.
        case notice
        /// What works less well than it should.
        case warning
        /// What failed.
        case error
    }

    /// The most bytes of a message, and of a field's value; what is longer is cut, and ends with
    /// "…".
    public static let messageBytesMax = 1_000
    /// The most bytes of a field's value, before it is escaped.
    public static let fieldBytesMax = 100

    /// Writes nothing.
    public static let none = OperatorLog { _, _ in }

    private let write: @Sendable (Level, String, KeyValuePairs<String, String>) -> Void

    /// Makes a log of what writes a line.
    public init(_ write: @escaping @Sendable (_ level: Level, _ line: String) -> Void) {
        self.write = { write($0, Self.line($1, $2)) }
    }

    /// Makes a log of what takes the fields of a line apart from its message; both are cut.
    package init(
        withFields write:
            @escaping @Sendable (
                _ level: Level,
                _ message: String,
                _ fields: [(name: String, value: String)]
            ) -> Void
    ) {
        self.write = { level, message, fields in
            let fields = fields.map { ($0.key, Self.cut($0.value, to: Self.fieldBytesMax)) }
            write(level, Self.cut(message, to: Self.messageBytesMax), fields)
        }
    }

    /// Writes what was done.
    public func notice(_ message: String, _ fields: KeyValuePairs<String, String> = [:]) {
        write(.notice, message, fields)
    }

    /// Writes what works less well than it should.
    public func warning(_ message: String, _ fields: KeyValuePairs<String, String> = [:]) {
        write(.warning, message, fields)
    }

    /// Writes what has failed.
    public func error(_ message: String, _ fields: KeyValuePairs<String, String> = [:]) {
        write(.error, message, fields)
    }

    private static func line(_ message: String, _ fields: KeyValuePairs<String, String>) -> String {
        var line = cut(message, to: messageBytesMax)
        for (name, value) in fields {
            line += " \(name)=\"\(escaped(cut(value, to: fieldBytesMax)))\""
        }
        return line
    }

    private static func cut(_ text: String, to bytesMax: Int) -> String {
        guard text.utf8.count > bytesMax else { return text }
        var scalars = String.UnicodeScalarView()
        var bytes = 0
        for scalar in text.unicodeScalars {
            bytes += UTF8.width(scalar)
            if bytes > bytesMax { break }
            scalars.append(scalar)
        }
        return String(scalars) + "…"
    }

    /// The text within quotation marks: it ends neither them nor the line, and shows as it is.
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
                escaped += "\\u{" + String(scalar.value, radix: 16) + "}"
            default:
                if scalar == "\"" || scalar == "\\" { escaped += "\\" }
                escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

/// The log of the operator. A server has one; elsewhere, as in tests, nothing is written unless it
/// is set.
public enum OperatorLogKey: DerivedDependencyKey {
    /// Writes nothing.
    public static func derive(from dependencies: Dependencies) -> OperatorLog { .none }
}

extension Dependencies {
    /// Writes lines for the operator.
    public var log: OperatorLog { (try? self[OperatorLogKey.self]) ?? .none }

    /// The same, which writes to `log` where the program has set no log of its own.
    package func logging(to log: OperatorLog) -> Dependencies {
        has(OperatorLogKey.self) ? self : setting(OperatorLogKey.self, to: log)
    }
}
