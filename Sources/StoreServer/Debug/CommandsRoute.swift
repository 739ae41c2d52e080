import Dispatch
import HTTPTransport
import Wire

extension ListRoute {
    /// `GET /debug/commands`: the commands that the program exposes.
    static func commands(_ commands: [ExposedCommand]) -> ListRoute {
        ListRoute { json in
            json.list("commands", of: commands) { json, command in
                json.member("name", command.name)
                json.member("id", command.id)
                json.member("value", command.value)
                json.member("file", command.file)
                json.member("function", command.function)
                json.member("line", command.line)
                json.member("href", command.path)
                json.member("method", "POST")
            }
        }
    }
}

/// `GET /debug/commands/<name>`: a command's description, five lines. `POST` executes it with the
/// JSON value of the body, and answers when that is done.
struct CommandRoute: Route {
    let methods = ["GET", "HEAD", "POST"]
    let commands: [String: ExposedCommand]
    let limits: JSONLimits
    let wake: @Sendable () -> Void
    /// Where commands are executed: nobody's requests wait for them but those of operators.
    private let queue = DispatchQueue(label: "debug.commands")

    init(
        commands: [ExposedCommand],
        limits: JSONLimits,
        wake: @escaping @Sendable () -> Void
    ) {
        self.commands = Dictionary(commands.map { ($0.name, $0) }) { first, _ in first }
        self.limits = limits
        self.wake = wake
    }

    func admit(_ request: HTTPExchange) -> Problem? {
        request.method == "POST" ? RequestRules.crossOrigin(request) : nil
    }

    func handle(_ exchange: HTTPExchange, rest: String) throws(Problem) {
        _ = try Query.of(exchange, allowed: [])
        guard let command = commands[String(rest.dropFirst())] else {
            throw .notFound(path: exchange.path)
        }
        if exchange.method == "POST" {
            try execute(command, for: exchange)
        } else {
            show(command, to: exchange)
        }
    }

    private func show(_ command: ExposedCommand, to exchange: HTTPExchange) {
        exchange.respond(
            HTTPResponse(
                status: 200,
                headers: [
                    ("Content-Type", "text/plain; charset=utf-8"), ("Cache-Control", "no-store"),
                ],
                body: .bytes(Array((command.preview + "\n").utf8))
            )
        )
    }

    private func execute(
        _ command: ExposedCommand,
        for exchange: HTTPExchange
    ) throws(Problem) {
        let type = exchange.header("content-type")
        let execute = try exchange.withBody { body in
            Result { () throws(Problem) in
                guard body.isEmpty || type.map(MediaType.isJSON) == true else {
                    throw .unsupportedMediaType()
                }
                return try command.prepared(body, limits)
            }
        }.get()
        exchange.suspend()
        queue.async {
            execute()
            exchange.complete(HTTPResponse.done)
            wake()
        }
    }
}
