import StorePlatform
import StoreWire

/// One line for the operator: what happened, and how much it matters.
package struct LogLine: Sendable, Equatable {
    package typealias Level = LogLevel

    /// The members of a JSON line that are no fields.
    private static let reserved: Set<String> = [
        "time", "level", "event", "message", "program", "store",
    ]

    package let level: Level
    /// What it is about; `nil` for what a command prints as it ends.
    package let event: LogEvent?
    /// The name of the store that it is about, where there are several.
    package let store: String?
    /// What happened, without control characters: nothing that a client sends can forge a line.
    package let message: String
    package let fields: [LogField]
    /// When it was made, in nanoseconds since 1970.
    package let time: Int64

    /// What a command prints as it ends.
    package init(_ level: Level, _ message: String) {
        self.init(level, nil, message)
    }

    package init(
        _ level: Level,
        _ event: LogEvent?,
        of store: String? = nil,
        _ message: String,
        _ fields: [LogField] = [],
        at time: Int64 = SystemTime.wallNanoseconds()
    ) {
        self.level = level
        self.event = event
        self.store = store
        self.message = LogText.message(message)
        self.fields = fields
        self.time = time
    }

    /// The line as standard error has it, by the name of what writes it.
    func bytes(of name: String, as format: LogFormat = .text) -> [UInt8] {
        switch format {
        case .text: Array("\(name): \(mark)\(text)\(ending)\n".utf8)
        case .json: Array("\(json(of: name))\n".utf8)
        }
    }

    /// The message behind the name of its store, with the fields.
    package var text: String {
        let beginning = store.map { "\(LogText.message($0)): " } ?? ""
        return fields.reduce(beginning + message) { "\($0) \($1.name)=\($1.value.text)" }
    }

    /// The moment in RFC 3339's form.
    private var moment: String {
        CivilTime(nanosecondsSince1970: time).rfc3339(.milliseconds)
    }

    private var mark: String {
        switch level {
        case .debug: "debug: "
        case .info: ""
        case .warning: "warning: "
        case .error: "error: "
        }
    }

    /// Last, so that a person reads first what happened.
    private var ending: String {
        event.map { " event=\($0.rawValue) time=\(moment)" } ?? ""
    }

    private func json(of name: String) -> String {
        var members = [
            ("time", LogText.json(moment)), ("level", LogText.json(level.rawValue)),
            ("event", event.map { LogText.json($0.rawValue) } ?? "null"),
            ("message", LogText.json(message)), ("program", LogText.json(name)),
        ]
        if let store { members.append(("store", LogText.json(store))) }
        var taken = Self.reserved
        for field in fields {
            // A program chooses names, too: none takes another's place.
            var name = field.name
            while !taken.insert(name).inserted { name += "_" }
            members.append((name, field.value.json))
        }
        return "{" + members.map { "\(LogText.json($0)):\($1)" }.joined(separator: ",") + "}"
    }
}
