public import Dispatch
public import StoreCore
import StoreHTTP
public import StorePatterns

extension Server {
    /// Returns a server that calls the middleware `observe` before each action is reduced, with the
    /// action and the state before the action.
    ///
    /// ```swift
    /// Server(AppState.self)
    ///     .middleware("tracker") { state, action, envelope in
    ///         guard let shown = action as? ScreenShown else { return nil }
    ///         let count = state.counter.count
    ///         return { tracker.screenShown(shown.name, counter: count) }
    ///     }
    ///     .main()
    /// ```
    ///
    /// Middleware runs in the order in which it was added, after analytics, on the Core's thread.
    /// Middleware may inspect the action, and return a closure that the Core calls after the
    /// commit. The Core also calls middleware for actions that the reducer then refuses, but does
    /// not call the returned closure. Replays and dry runs never call middleware.
    ///
    /// - Parameters:
    ///   - id: the name of the middleware in `GET /debug/middleware`. Operators remove middleware
    ///     by this name. If several functions have the name, each removal removes the earliest of
    ///     them.
    ///   - observe: receives the state before the action, the action and its envelope. Returns the
    ///     closure that the Core calls after the commit, or `nil`.
    /// - Returns: the server with this middleware, which runs after the earlier middleware.
    public func middleware(_ id: String, _ observe: @escaping Middleware<State>) -> Server {
        with { $0.middleware.append((id, observe)) }
    }

    /// Returns a server with middleware whose name is the file and line of this call:
    /// `App/App.swift:12`.
    public func middleware(
        file: String = #fileID,
        line: Int = #line,
        _ observe: @escaping Middleware<State>
    ) -> Server {
        middleware("\(file):\(line)", observe)
    }

    // Interceptors and reactions

    /// Returns a server that calls `intercept` with each action before the reducer. The
    /// interceptor may refuse the action, replace it, or add further actions. Interceptors are
    /// called in the order in which they were added.
    ///
    /// ```swift
    /// Server(AppState.self)
    ///     .interceptor("opening hours") { state, _, _ in
    ///         guard state.shop.isOpen else { throw Refusal.forbidden("The shop is closed.") }
    ///         return .proceed
    ///     }
    ///     .main()
    /// ```
    ///
    /// - Parameters:
    ///   - id: the name of the interceptor in `GET /debug/interceptors`. Operators remove
    ///     interceptors by this name. If several interceptors have the name, each removal removes
    ///     the earliest of them.
    ///   - intercept: decides about each action, on the Core's thread. A replay never calls the
    ///     interceptor.
    /// - Returns: the server with this interceptor, which is called after the earlier interceptors.
    public func interceptor(_ id: String, _ intercept: @escaping Interceptor<State>) -> Server {
        with { $0.interceptors.append((id, intercept)) }
    }

    /// Returns a server with an interceptor whose name is the file and line of this call:
    /// `App/App.swift:12`.
    public func interceptor(
        file: String = #fileID,
        line: Int = #line,
        _ intercept: @escaping Interceptor<State>
    ) -> Server {
        interceptor("\(file):\(line)", intercept)
    }

    /// Returns a server with further reactions. Reactions dispatch actions at the start, after
    /// changes and actions, and for notifications (`POST /notify/<name>`).
    public func reactions(_ reactions: Reaction<State>...) -> Server {
        with { $0.reactions += reactions }
    }

    // Observers

    /// Returns a server that calls `receive` with the state at the start and after every applied
    /// action, even if the action changed nothing. The states come in the order of their versions.
    ///
    /// ```swift
    /// Server(state: Guestbook(), actions: [Signed.self], reducer: reduce)
    ///     .observer(on: .main) { book in print(book.entries.count) }
    ///     .main()
    /// ```
    ///
    /// - Parameters:
    ///   - queue: the queue that calls `receive`; ``main()`` serves the main queue. Without a
    ///     queue, the Core's thread calls `receive`, and all actions wait meanwhile.
    ///   - receive: receives each state.
    /// - Returns: the server with one more observer.
    public func observer(
        on queue: DispatchQueue? = nil,
        _ receive: @escaping @Sendable (State) -> Void
    ) -> Server {
        with { $0.observers.append((queue, receive)) }
    }

    // Commands

    /// Returns a server whose operators may execute `command` with a JSON value, by
    /// `POST /debug/commands/<name>`.
    ///
    /// ```swift
    /// let printInt = Command<Int>(id: "Print the int") { print($0) }
    ///
    /// Server(state: Guestbook(), actions: [Signed.self], reducer: reduce)
    ///     .command(printInt, as: "print-int")
    ///     .command(printInt.bound(to: 7), as: "print-seven")
    ///     .main()
    /// ```
    ///
    /// The route exists only with `--debug-routes`. Commands are executed one after the other, on a
    /// thread of their own. Only requests for commands wait for this thread. `Command.async(on:)`
    /// moves a command to another queue.
    ///
    /// - Parameters:
    ///   - command: the command, which is executed with the value of the request's body.
    ///   - name: letters, digits, `-`, `_` and `.`. With a duplicate or invalid name, the server
    ///     does not start.
    /// - Returns: the server with one more command.
    public func command<Value: Decodable & Sendable>(
        _ command: Command<Value>,
        as name: String
    ) -> Server {
        with { $0.commands.append(ExposedCommand(command, named: name)) }
    }

    /// Returns a server whose operators may execute `command`, by `POST /debug/commands/<name>`
    /// without a body.
    public func command(_ command: PlainCommand, as name: String) -> Server {
        with { $0.commands.append(ExposedCommand(plain: command, named: name)) }
    }
}
