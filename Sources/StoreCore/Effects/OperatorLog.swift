/// A log for the operator of the store. Effects and use cases report events of the outside world
/// and the reasons of failures to this log.
///
/// ```swift
/// context.dependencies.log.warning("login refused", ["user": userName, "reason": reason])
/// // store-server: warning: login refused user="ada" reason="The name or the password is wrong." …
/// ```
///
/// No call waits: a server writes the lines on a separate thread. If too many lines wait, the
/// newest lines are lost, and another line reports their number. Put data of clients into fields,
/// and never log secrets.
public struct OperatorLog: Sendable {
    /// The importance of a line.
    public enum Level: Sendable {
        /// Normal work was done.
        case notice
        /// A component works less well than it should.
        case warning
        /// A component failed.
        case error
    }

    /// The maximum size of a message, in bytes. A longer text is cut, and ends with "…".
    public static let messageBytesMax = 1_000
    /// The maximum size of a field's value before escaping, in bytes. A longer value is cut as
    /// well.
    public static let fieldBytesMax = 100

    /// A log that writes nothing.
    public static let none = OperatorLog { _, _ in }

    private let write: @Sendable (Level, String, KeyValuePairs<String, String>) -> Void

    /// Makes a log from a function that writes a line.
    public init(_ write: @escaping @Sendable (_ level: Level, _ line: String) -> Void) {
        self.write = { write($0, Self.line($1, $2)) }
    }

    /// Makes a log from a function that takes the cut message and the cut fields separately.
    package init(
        withFields write:
            @escaping @Sendable (
                _ level: Level, _ message: String, _ fields: [(name: String, value: String)]
            ) -> Void
    ) {
        self.write = { level, message, fields in
            let fields = fields.map { ($0.key, Self.cut($0.value, to: Self.fieldBytesMax)) }
            write(level, Self.cut(message, to: Self.messageBytesMax), fields)
        }
    }

    /// Writes a notice: a line about normal work.
    public func notice(_ message: String, _ fields: KeyValuePairs<String, String> = [:]) {
        write(.notice, message, fields)
    }

    /// Writes a warning: a line about a component that works less well than it should.
    public func warning(_ message: String, _ fields: KeyValuePairs<String, String> = [:]) {
        write(.warning, message, fields)
    }

    /// Writes an error: a line about a failure.
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

    /// Escapes a text for use between quotation marks. The result has no unescaped quotation mark,
    /// no line break and no invisible character.
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            guard scalar.isPrintable else {
                escaped += "\\u{" + String(scalar.value, radix: 16) + "}"
                continue
            }
            if scalar == "\"" || scalar == "\\" { escaped += "\\" }
            escaped.unicodeScalars.append(scalar)
        }
        return escaped
    }
}

/// The key of the operator's log. A server sets a log. Elsewhere, as in tests, the log writes
/// nothing until the program sets another log.
public enum OperatorLogKey: DerivedDependencyKey {
    /// Returns a log that writes nothing.
    public static func derive(from dependencies: Dependencies) -> OperatorLog { .none }
}

extension Dependencies {
    /// The log for the operator.
    public var log: OperatorLog { (try? self[OperatorLogKey.self]) ?? .none }

    /// Returns a copy that writes to `log`, unless the program has set a log of its own.
    package func logging(to log: OperatorLog) -> Dependencies {
        has(OperatorLogKey.self) ? self : setting(OperatorLogKey.self, to: log)
    }
}
