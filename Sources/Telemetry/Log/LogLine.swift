/// One line for the operator: what happened, and how much it matters.
package struct LogLine: Sendable, Equatable {
    package enum Level: Sendable {
        case notice, warning, error
    }

    package let level: Level
    /// What happened, without control characters: nothing that a client sends can forge a line.
    package let message: String

    package init(_ level: Level, _ message: String) {
        self.level = level
        let isClean = !message.utf8.contains { Self.isControl($0) }
        self.message =
            isClean
            ? message
            : String(
                decoding: message.utf8.map { Self.isControl($0) ? UInt8(ascii: "?") : $0 },
                as: UTF8.self
            )
    }

    /// The line as standard error has it, behind the name of what writes it.
    func bytes(of name: String) -> [UInt8] {
        let level =
            switch level {
            case .notice: ""
            case .warning: "warning: "
            case .error: "error: "
            }
        return Array("\(name): \(level)\(message)\n".utf8)
    }

    private static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x7F }
}
