public import Dispatch
import StorePlatform
import Synchronization

/// A named closure that a program can pass around and call later.
///
/// Two commands are equal if they are the same object. A command records the source location at
/// which it was made; ``debugDescription`` shows the location.
///
/// ```swift
/// let printInt = Command<Int>(id: "Print the int") { print($0) }
/// printInt(with: 7)
/// let printSeven = printInt.bound(to: 7)
/// printSeven()
/// ```
public final class Command<Value>: Sendable {
    /// The name of the command, for people and not for code.
    public let id: String
    /// The file that made the command.
    public let file: String
    /// The function that made the command.
    public let function: String
    /// The source line that made the command.
    public let line: UInt

    private let action: @Sendable (Value) -> Void

    /// Makes a command from a closure.
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

    /// Runs the command on the caller's thread: `command(with: 7)`.
    public func callAsFunction(with value: Value) { action(value) }

    /// Returns a command that takes another value, and runs this command with the transformed
    /// value.
    public func map<Other>(_ transform: @escaping @Sendable (Other) -> Value) -> Command<Other> {
        derived(nameSuffix: "map") { [self] in action(transform($0)) }
    }

    /// Returns a command that enqueues this command on `queue`, and does not wait for the run.
    public func async(on queue: DispatchQueue) -> Command<Value> where Value: Sendable {
        derived(nameSuffix: queue.label) { [self] value in queue.async { self.action(value) } }
    }

    /// A command that does nothing.
    public static var nop: Command<Value> { Command(id: "nop") { _ in } }

    /// Returns a command with another closure. The new command has the source location of this
    /// command, and this command's name followed by `step`.
    private func derived<Other>(
        nameSuffix step: String,
        action: @escaping @Sendable (Other) -> Void
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
    /// Returns a command that needs no value, and runs this command with `value`.
    public func bound(to value: Value) -> PlainCommand {
        derived(nameSuffix: "bound(\(value))") { [self] (_: Void) in action(value) }
    }
}

/// A command that needs no value.
public typealias PlainCommand = Command<Void>

extension Command where Value == Void {
    /// Runs the command on the caller's thread: `command()`.
    public func callAsFunction() { callAsFunction(with: ()) }

    /// Adds the command to a disposer. The disposer runs the command when the disposer is
    /// deallocated.
    public func dispose(on disposer: Disposer) { disposer.add(disposal: self) }
}

extension Command: Hashable, CustomDebugStringConvertible {
    /// Returns true if both commands are the same object.
    public static func == (a: Command, b: Command) -> Bool { a === b }

    /// Hashes the identity of the object.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    /// The type, the name and the source location of the command, each on its own line.
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

/// An object that runs its commands when it is deallocated. If the commands end subscriptions, the
/// subscriptions live as long as the disposer.
///
/// The commands run in the order in which they were added, on the thread that releases the last
/// reference to the disposer.
public final class Disposer: Sendable {
    private let disposals = Locked<[PlainCommand]>([])

    /// Makes a disposer without commands.
    public init() {}

    /// Adds a command that runs when the disposer is deallocated. Any thread may call this
    /// function.
    public func add(disposal: PlainCommand) { disposals.withLock { $0.append(disposal) } }

    deinit {
        for disposal in disposals.withLock({ $0 }) {
            disposal()
        }
    }
}
