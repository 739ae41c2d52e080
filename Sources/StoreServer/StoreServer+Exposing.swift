public import StoreCore
import StoreHTTP

extension StoreServer {
    /// Returns a server whose operators may execute `command` with a JSON value, by
    /// `POST /debug/commands/<name>`.
    ///
    /// ```swift
    /// let printInt = Command<Int>(id: "Print the int") { print($0) }
    ///
    /// StoreServer(state: Guestbook(), actions: [Signed.self], reducer: reduce)
    ///     .exposing(printInt, as: "print-int")
    ///     .exposing(printInt.bound(to: 7), as: "print-seven")
    ///     .main()
    /// ```
    ///
    /// The route exists only with `--debug-routes`. Commands are executed one after the other, on a
    /// thread that no request waits for. `Command.async(on:)` moves a command to another queue.
    ///
    /// - Parameters:
    ///   - command: the command, which is executed with the value of the request's body.
    ///   - name: letters, digits, `-`, `_` and `.`. A duplicate or invalid name keeps the server
    ///     from starting.
    /// - Returns: the server with one more command.
    public func exposing<Value: Decodable & Sendable>(
        _ command: Command<Value>,
        as name: String
    ) -> StoreServer {
        exposing(ExposedCommand(command, named: name))
    }

    /// Returns a server whose operators may execute `command`, by an empty
    /// `POST /debug/commands/<name>`.
    public func exposing(_ command: PlainCommand, as name: String) -> StoreServer {
        exposing(ExposedCommand(plain: command, named: name))
    }

    private func exposing(_ command: ExposedCommand) -> StoreServer {
        var server = self
        server.commands.append(command)
        return server
    }
}
