import Dispatch
import StoreHTTPTransport
import StoreJSON
import StoreJSONSchema
import StoreTexts
import StoreWire

/// The routes that list, describe and execute the commands that the program exposes.
struct CommandRoutes: RouteGroup {
    let links: Links
    let commands: [ExposedCommand]
    let limits: JSONLimits
    /// The queue that executes commands. Only requests of operators wait for this queue.
    let queue = DispatchQueue(label: "debug.commands")

    var routes: [Route] {
        let name = Parameter.path("name", "The name in the list.")
        return [
            .reading(
                links.commands,
                "DebugCommands",
                "The commands that the program exposes.",
                needs: .debug,
                answers: [.json(.list("commands", of: Self.commandSchema), "The list.")],
                audience: .operators,
                handle: showAll
            ),
            .reading(
                links.commands + "/{name}",
                "DebugCommand",
                "A command's type and the place of its code in the source, in five lines.",
                needs: .debug,
                parameters: [name],
                answers: [.text("text/plain", "The lines.")],
                problems: [.notFound],
                audience: .operators,
                handle: show
            ),
            .changing(
                .post,
                links.commands + "/{name}",
                "debugExecute",
                "Execute a command with a JSON value, or without a body if the command takes no "
                    + "value.",
                needs: .debug,
                parameters: [name],
                body: .optionalJSON(.any),
                answers: [.init(204, "The command has been executed.")],
                problems: [.notFound, .invalidPayload],
                audience: .operators,
                handle: execute
            ),
        ]
    }

    private static let commandSchema = JSONSchema.object([
        .init("name", .string()), .init("id", .string()), .init("value", .string()),
        .init("file", .string()), .init("function", .string()), .init("line", .unsigned),
        .init("href", .string()), .init("method", .stringEnum(["POST"])),
    ])

    private func showAll(_ request: RequestContext) {
        request.respond { json in
            json.objectArray("commands", of: commands) { json, command in
                json.member("name", command.name)
                json.member("id", command.id)
                json.member("value", command.argumentType)
                json.member("file", command.file)
                json.member("function", command.function)
                json.member("line", command.line)
                json.member("href", links.command(command.name))
                json.member("method", "POST")
            }
        }
    }

    private func command(_ request: RequestContext) throws(Problem) -> ExposedCommand {
        let name = try request.pathParameter()
        guard let found = commands.first(where: { $0.name.isSame(as: name) }) else {
            throw request.notFound
        }
        return found
    }

    private func show(_ request: RequestContext) throws(Problem) {
        let lines = try command(request).descriptionText + "\n"
        request.respond(.uncached(Array(lines.utf8), as: "text/plain; charset=utf-8"))
    }

    private func execute(_ request: RequestContext) throws(Problem) {
        let command = try command(request)
        guard request.hasNoBody || request.exchange.isJSON else { throw .unsupportedMediaType() }
        let execute = try request.exchange.withBody { body in
            Result { () throws(Problem) in
                try command.prepare(body, limits, request.environment.logger)
            }
        }.get()
        request.exchange.suspend()
        queue.async {
            execute()
            request.complete(.success(.noContent))
        }
    }
}
