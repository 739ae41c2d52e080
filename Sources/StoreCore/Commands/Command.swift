public import Dispatch

/// A closure with a name: something that can be done with a value, passed around and called later.
///
/// Two commands are equal when they are the same one. Where it was made is kept, so that
/// ``debugDescription`` identifies it.
///
/// ```swift
/// let printInt = Command<Int>(id: "Print the int") { print($0) }
/// printInt(with: 7)
/// let printSeven = printInt.bound(to: 7)
/// printSeven()
/// ```
public final class Command<Value>: Sendable {
    /// What the command is called; for people, not for code.
    public let id: String
    /// The file that made it.
    public let file: String
    /// The function that made it.
    public let function: String
    /// The line that made it.
    public let line: UInt

    private let action: @Sendable (Value) -> Void

    /// Makes a command of a closure.
    public init(
        id: String = "unnamed",
        file: String = #fileID,
        function: String = #function,
        line: UInt = #line,
        action: @escaping @Sendable (Value) -> Void
    ) {
        self.id = id
        self.file = file
        self.function = function
        self.line = line
        self.action = action
    }

    /// Does it, on the caller's thread.
    public func execute(with value: Value) {
        action(value)
    }

    /// Does it, on the caller's thread: `command(with: 7)`.
    public func callAsFunction(with value: Value) {
        action(value)
    }

    /// The command that makes its value from another one first.
    public func map<Other>(_ transform: @escaping @Sendable (Other) -> Value) -> Command<Other> {
        derived("map") { [self] in action(transform($0)) }
    }

    /// The command that is done on a queue, wherever it is called.
    public func async(on queue: DispatchQueue) -> Command<Value> where Value: Sendable {
        derived(queue.label) { [self] value in
            queue.async { self.action(value) }
        }
    }

    /// A command that does nothing.
    public static var nop: Command<Value> {
        Command(id: "nop") { _ in }
    }

    /// A command made from this one; it keeps this one's name and origin.
    private func derived<Other>(
        _ step: String,
        _ action: @escaping @Sendable (Other) -> Void
    ) -> Command<Other> {
        Command<Other>(
            id: "\(id) ∘ \(step)",
            file: file,
            function: function,
            line: line,
            action: action
        )
    }
}

extension Command where Value: Sendable {
    /// The command that needs no value any more: it has this one.
    public func bound(to value: Value) -> PlainCommand {
        derived("bound(\(value))") { [self] (_: Void) in action(value) }
    }
}

/// A command that needs no value.
public typealias PlainCommand = Command<Void>

extension Command where Value == Void {
    /// Does it, on the caller's thread.
    public func execute() {
        execute(with: ())
    }

    /// Does it, on the caller's thread: `command()`.
    public func callAsFunction() {
        execute(with: ())
    }

    /// Leaves the command to a disposer, which calls it when it goes.
    public func dispose(on disposer: Disposer) {
        disposer.add(disposal: self)
    }
}

extension Command: Hashable, CustomDebugStringConvertible {
    /// Whether both are the same command.
    public static func == (a: Command, b: Command) -> Bool {
        a === b
    }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }

    /// Type, name and origin, a line each.
    public var debugDescription: String {
        """
        type: Command<\(Value.self)>
        id: \(id)
        file: \(file)
        function: \(function)
        line: \(line)
        """
    }
}
