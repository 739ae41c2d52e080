package import StoreActionCatalog
package import StoreCore
import StoreJSON
import StoreTelemetry
import StoreWire

/// A command that operators may inspect and execute.
package struct ExposedCommand: Sendable {
    /// The name of the command in the paths of its routes.
    package let name: String
    /// The name of the Swift type of the command's argument.
    package let argumentType: String
    package let id: String
    package let file: String
    let function: String
    package let line: UInt
    /// The description that the command itself makes, in five lines.
    let descriptionText: String
    /// Reads the argument from a body, and returns a closure that executes the command with the
    /// argument.
    let prepare: Preparation

    typealias Preparation =
        @Sendable (UnsafeRawBufferPointer, JSONLimits, Logger) throws(Problem)
        -> @Sendable () -> Void

    package init<Value: Decodable & Sendable>(_ command: Command<Value>, named name: String) {
        self.init(command, name) { body, limits, logger throws(Problem) in
            guard !body.isEmpty else {
                throw .invalidPayload(pointer: "", expected: "a JSON value for \(Value.self)")
            }
            let value: Value
            do throws(JSONError) {
                value = try JSONDecoder(limits: limits).decode(Value.self, from: body)
            } catch {
                if error.isParseError { throw Problem(error, bytesMax: limits.bytesMax) }
                throw .unfitValue(error, for: "debug/commands/\(name)", logger)
            }
            return { command(with: value) }
        }
    }

    package init(plain command: PlainCommand, named name: String) {
        self.init(command, name) { body, _, _ throws(Problem) in
            guard body.isEmpty else { throw .invalidPayload(pointer: "", expected: "no body") }
            return { command() }
        }
    }

    private init<Value>(
        _ command: Command<Value>,
        _ name: String,
        prepare: @escaping Preparation
    ) {
        self.name = name
        argumentType = "\(Value.self)"
        id = command.id
        file = command.file
        function = command.function
        line = command.line
        descriptionText = command.debugDescription
        self.prepare = prepare
    }

    /// Checks the names of commands.
    ///
    /// - Throws: `ConfigurationError` if a name can't be a segment of a path, or if two commands
    ///   have the same name.
    package static func checkNames(_ commands: [ExposedCommand]) throws(ConfigurationError) {
        var names: Set<String> = []
        for command in commands {
            guard isName(command.name) else {
                throw ConfigurationError(
                    "a command is exposed as '\(command.name)'; a name has letters, digits, '-', "
                        + "'_' and '.', and begins with a letter or digit"
                )
            }
            guard names.insert(command.name).inserted else {
                throw ConfigurationError(
                    "two commands are exposed as '\(command.name)'; names must be unique"
                )
            }
        }
    }

    private static func isName(_ text: String) -> Bool {
        func isPlain(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: false
            }
        }
        guard let first = text.utf8.first, isPlain(first) else { return false }
        return text.utf8.allSatisfy { isPlain($0) || "-_.".utf8.contains($0) }
    }
}
