import StoreCore
import Wire

/// What a description has to know of a state that is made of modules.
struct ModulesDescription: Sendable {
    let slices: [SliceDescription]
    /// What the views of modules may say.
    let ui: [(module: String, actions: [ActionForm])]
    let batchMax: Int
    let views: [(name: String, parameters: [JSONSchema.Property])]
    let useCases: [(path: String, input: JSONSchema)]
    /// Whether clients have sessions.
    let hasSessions: Bool
}

extension OpenAPIDescription {
    /// The modules, projections, effects and use cases of a state that is made of modules.
    func routes(of modules: ModulesDescription) -> [OpenAPI.Route] {
        slices(modules) + views(modules) + effects + modules.useCases.map(useCase)
            + (modules.hasSessions ? sessions : [])
    }

    private var resume: [OpenAPI.Parameter] {
        [
            .init("last_event_id", in: .query, summary: "Go on after this tag."),
            .init(
                "subscriber",
                in: .query,
                .text(pattern: "^[!-~]{1,128}$"),
                summary: "By what actions may mean this stream."
            ),
            .init("Last-Event-ID", in: .header, summary: "Go on after this tag."),
        ]
    }

    private func stream(
        _ path: String,
        _ id: String,
        summary: String,
        parameters: [OpenAPI.Parameter]
    ) -> OpenAPI.Route {
        .init(
            "get",
            path,
            id: id,
            summary: summary,
            parameters: parameters
                + (parameters.contains { $0.name == Self.mode.name } ? [] : [Self.mode]) + resume,
            answers: [.init(200, "The stream.", bodies: [.init("text/event-stream")])],
            problems: Self.always + [.draining, .streamLimit, .notFound]
        )
    }

    private func part(_ summary: String) -> [OpenAPI.Answer] {
        [
            .init(200, summary, headers: ["ETag"], bodies: [.json(.any)]),
            .init(304, "Nothing newer than what is known.", headers: ["ETag"]),
        ]
    }

    private var known: OpenAPI.Parameter {
        .init("If-None-Match", in: .header, summary: "The tag that is known already.")
    }

    private func slices(_ modules: ModulesDescription) -> [OpenAPI.Route] {
        let item = JSONSchema.object([
            .init("name", .string()), .init("started", .boolean), .init("href", .string()),
            .init("events", .string()),
            .init("instances", .array(of: .string()), isRequired: false),
            .init("actions", .array(of: .string())),
        ])
        let list = JSONSchema.object([
            .init("epoch", .string()), .init("version", unsigned),
            .init("modules", .array(of: item)),
        ])
        let name = OpenAPI.Parameter(
            "module",
            in: .path,
            .strings(modules.slices.map(\.name)),
            summary: "The module's name."
        )
        let old = OpenAPI.Parameter(
            "old",
            in: .query,
            .boolean,
            summary: "Whether each event has the slice before the change, too."
        )
        var routes = read(
            "/modules",
            "Modules",
            summary: "The modules that the state is made of.",
            answers: [.init(200, "The list.", bodies: [.json(list)])],
            problems: [.draining]
        )
        routes += read(
            "/modules/{module}",
            "Module",
            summary: "A module's slice of the state.",
            parameters: [name, known],
            answers: part("The slice."),
            problems: [.draining, .notFound]
        )
        routes.append(
            stream(
                "/modules/{module}/events",
                "moduleEvents",
                summary: "A module's slice now and whenever it changes, as server-sent events.",
                parameters: [name, old]
            )
        )
        routes += modules.ui.map { ui(of: $0.module, $0.actions, modules.batchMax) }
        let ofMany = modules.slices.filter { $0.form == .instances }.map(\.name)
        return ofMany.isEmpty ? routes : routes + instances(of: ofMany)
    }

    private func ui(of module: String, _ actions: [ActionForm], _ batchMax: Int) -> OpenAPI.Route {
        .init(
            "post",
            "/modules/\(module)/ui",
            id: "ui." + module,
            summary: "Apply what a view of the module \(module) says.",
            parameters: [cancelOnClose],
            body: .json(.dispatch(of: actions, batchMax: batchMax)),
            answers: [.init(200, "Applied.", headers: ["ETag"], bodies: [.json(.any)])],
            problems: Self.always + [
                .malformedJSON, .forbidden, .refused, .versionMismatch, .unsupportedMediaType,
                .unknownAction, .invalidPayload, .draining, .storageFull,
            ]
        )
    }

    private func instances(of names: [String]) -> [OpenAPI.Route] {
        let parameters: [OpenAPI.Parameter] = [
            .init("collection", in: .path, .strings(names), summary: "The module's name."),
            .init("id", in: .path, summary: "The instance's id."),
        ]
        return read(
            "/modules/{collection}/{id}",
            "Instance",
            summary: "The slice of one of a module's instances.",
            parameters: parameters + [known],
            answers: part("The slice."),
            problems: [.draining, .notFound]
        ) + [
            stream(
                "/modules/{collection}/{id}/events",
                "instanceEvents",
                summary: "One instance's slice now and whenever it changes.",
                parameters: parameters
            )
        ]
    }

    private func views(_ modules: ModulesDescription) -> [OpenAPI.Route] {
        let item = JSONSchema.object([
            .init("name", .string()), .init("href", .string()), .init("events", .string()),
            .init("parameters", .array(of: .string())),
        ])
        let list = read(
            "/views",
            "Views",
            summary: "The projections of the state.",
            answers: [
                .init(
                    200,
                    "The list.",
                    bodies: [.json(.object([.init("views", .array(of: item))]))]
                )
            ],
            problems: [.draining]
        )
        return list
            + modules.views.flatMap { view in
                let parameters = view.parameters.map {
                    OpenAPI.Parameter($0.name, in: .query, $0.schema, summary: "As the view says.")
                }
                let id = view.name.prefix(1).uppercased() + view.name.dropFirst()
                return read(
                    "/views/\(view.name)",
                    "View" + id,
                    summary: "The projection \(view.name); null where there is nothing to show.",
                    parameters: parameters + [known],
                    answers: part("The projection."),
                    problems: [.draining]
                ) + [
                    stream(
                        "/views/\(view.name)/events",
                        "view\(id)Events",
                        summary: "The projection \(view.name) now and whenever it changes.",
                        parameters: parameters
                    )
                ]
            }
    }

    private var effects: [OpenAPI.Route] {
        let item = JSONSchema.object([
            .init("id", .string()), .init("module", .string()), .init("cause", unsigned),
            .init("href", .string()),
        ])
        let list = JSONSchema.object([.init("effects", .array(of: item))])
        return read(
            "/effects",
            "Effects",
            summary: "The effects that run.",
            answers: [.init(200, "The list.", bodies: [.json(list)])],
            problems: [.draining]
        ) + [
            .init(
                "delete",
                "/effects/{effect}",
                id: "cancelEffect",
                summary: "Cancel an effect; nothing that it dispatches is applied any more.",
                parameters: [.init("effect", in: .path, summary: "As the list has it.")],
                answers: [.init(204, "Done.")],
                problems: Self.always + [.draining, .forbidden, .notFound]
            )
        ]
    }

    private func useCase(_ useCase: (path: String, input: JSONSchema)) -> OpenAPI.Route {
        .init(
            "post",
            "/usecases/\(useCase.path)",
            id: "useCase."
                + useCase.path.map { $0.isLetter || $0.isNumber ? String($0) : "." }.joined(),
            summary: "Call the use case \(useCase.path); its input is kept nowhere.",
            parameters: [
                cancelOnClose, .init("Prefer", in: .header, summary: "wait=N (RFC 7240)."),
            ],
            body: .json(useCase.input),
            answers: [
                .init(200, "It is done.", bodies: [.json(.any)]),
                .init(202, "It has begun.", bodies: [.json(.any)]),
            ],
            problems: Self.always + [
                .malformedJSON, .forbidden, .notFound, .refused, .unsupportedMediaType,
                .invalidPayload, .effectFailed, .draining,
            ]
        )
    }
}
