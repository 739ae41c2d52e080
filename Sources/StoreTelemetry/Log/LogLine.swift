import StorePlatform
import StoreWire
import Synchronization

/// A line for the operator, with its level.
package struct LogLine: Sendable, Equatable {
    /// The names that no field may have in a JSON line, because other members have them.
    private static let reservedNames: Set<String> = [
        "time", "level", "event", "message", "program", "store",
    ]

    package let level: LogLevel
    /// The subject of the line; `nil` for a line of the text that a command prints before it exits.
    package let event: LogEvent?
    /// The name of the store that the line is about, if there are several stores.
    package let store: String?
    /// The message. Control characters are replaced, so that no text of a client can forge a line.
    package let message: String
    package let fields: [LogField]
    /// The time at which the line was made, in nanoseconds since 1970.
    package let time: Int64

    /// Makes a line of the text that a command prints before it exits.
    package init(_ level: LogLevel, _ message: String) { self.init(level, nil, message) }

    package init(
        _ level: LogLevel,
        _ event: LogEvent?,
        of store: String? = nil,
        _ message: String,
        _ fields: [LogField] = [],
        at time: Int64 = SystemTime.wallNanoseconds()
    ) {
        self.level = level
        self.event = event
        self.store = store
        self.message = LogText.printable(message)
        self.fields = fields
        self.time = time
    }

    /// Returns the bytes of the line for standard error, with the name of the program.
    func bytes(program name: String, as format: LogFormat = .text) -> [UInt8] {
        switch format {
        case .text: Array("\(name): \(levelPrefix)\(text)\(eventAndTime)\n".utf8)
        case .json: Array("\(json(program: name))\n".utf8)
        }
    }

    /// The message after the name of its store, with the fields.
    package var text: String {
        let beginning = store.map { "\(LogText.printable($0)): " } ?? ""
        return fields.reduce(beginning + message) { "\($0) \($1.name)=\($1.value.text)" }
    }

    private var timeText: String { CivilTime(nanosecondsSince1970: time).rfc3339(.milliseconds) }

    private var levelPrefix: String { level == .info ? "" : "\(level.rawValue): " }

    /// The event and the time, at the end of the line, so that a person reads the message first.
    private var eventAndTime: String {
        event.map { " event=\($0.rawValue) time=\(timeText)" } ?? ""
    }

    private func json(program name: String) -> String {
        var members = [
            ("time", LogText.json(timeText)), ("level", LogText.json(level.rawValue)),
            ("event", event.map { LogText.json($0.rawValue) } ?? "null"),
            ("message", LogText.json(message)), ("program", LogText.json(name)),
        ]
        if let store { members.append(("store", LogText.json(store))) }
        var taken = Self.reservedNames
        for field in fields {
            // A program may choose the name of a field freely. Underscores make the name unique
            // among the members.
            var name = field.name
            while !taken.insert(name).inserted { name += "_" }
            members.append((name, field.value.json))
        }
        return "{" + members.map { "\(LogText.json($0)):\($1)" }.joined(separator: ",") + "}"
    }
}

/// The importance of a line. The log writes the lines of a chosen level and above.
package enum LogLevel: String, Sendable, CaseIterable {
    case debug, info, warning, error

    var rank: UInt8 {
        switch self {
        case .debug: 0
        case .info: 1
        case .warning: 2
        case .error: 3
        }
    }
}

package enum LogFormat: String, Sendable, CaseIterable {
    /// Lines for the operator: `store-server: warning: message field="value" event=name time=…`.
    case text
    /// A JSON object on each line.
    case json
}
