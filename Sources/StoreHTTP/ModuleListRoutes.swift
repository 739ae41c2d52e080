import StoreActionCatalog
import StoreAdmission
package import StoreCore
import StoreHTTPTransport
import StoreJSON
import StoreJSONSchema
import StoreWire

/// `GET /modules`: the modules of the state, with the links and the public actions of each.
struct ModuleListRoutes: RouteGroup {
    let store: Store

    private var links: Links { store.links }
    private var reader: StateReader { store.reader }

    var routes: [Route] {
        let item = JSONSchema.object([
            .init("name", .string()), .init("started", .boolean), .init("href", .string()),
            .init("events", .string()),
            .init("instances", .array(of: .string()), isRequired: false),
            .init("actions", .array(of: .string())),
        ])
        let list = JSONSchema.object([
            .init("epoch", .string()), .init("version", .unsigned),
            .init("modules", .array(of: item)),
        ])
        return [
            .reading(
                links.modules,
                "Modules",
                "The modules that the state is made of.",
                needs: .state,
                answers: [.json(list, "The list.")],
                handle: show
            )
        ]
    }

    private func show(_ request: RequestContext) throws(Problem) {
        let caller = try request.caller()
        let state = reader.state(for: caller)
        let seen = store.modules.enumerated().filter { module in
            !module.element.isField && caller.viewer.sees(module: module.element.name)
        }
        var json = JSONWriter(capacity: 1_024)
        json.object { json in
            json.member("epoch", reader.epochText)
            json.member("version", state.version)
            json.objectArray("modules", of: seen) { json, module in
                write(module.element, at: module.offset, of: state, to: &json)
            }
        }
        let headers = [("Content-Type", "application/json"), ("Cache-Control", "no-cache")]
        let vary = caller.identity == nil ? [] : [("Vary", "Authorization, Cookie")]
        request.respond(
            HTTPResponse(status: 200, headers: headers + vary, body: .bytes(json.byteArray))
        )
    }

    private func write(
        _ module: SliceDescription,
        at index: Int,
        of state: VisibleState,
        to json: inout JSONWriter
    ) {
        json.member("name", module.name)
        json.member("started", state.isStarted(index))
        json.member("href", links.module(module.name))
        json.member("events", links.moduleEvents(module.name))
        if module.cardinality == .instances {
            json.member("instances", state.instanceIDs(of: index))
        }
        json.member(
            "actions",
            store.actions.entries
                .filter { $0.module == module.name && $0.access == .everybody }
                .map(\.signature.name)
        )
    }
}

/// The description of a module, or of a field, for the routes.
package struct SliceDescription: Sendable {
    package let name: String
    /// True if the description is of a field, which is no module and has no routes of its own.
    package let isField: Bool
    package let cardinality: SliceCardinality
    /// The owners of the slices: all clients together, each session or each user.
    package let ownership: SliceOwnership
    /// The names of the presenters that observe changes of the slices.
    package let presenterNames: [String]
    /// Returns the action to dispatch when a client begins, or ceases, to show the module's view.
    package let visibilityAction: @Sendable (ViewVisibility) -> (any Action)?
    /// The action to dispatch when a session has departed; `nil` for most modules.
    package let departureAction: (any Action)?

    package init<State>(_ mount: Mount<State>) {
        name = mount.name
        isField = mount.isField
        cardinality = mount.slicePlace.cardinality
        ownership = mount.slicePlace.ownership
        presenterNames = mount.presenterNames
        visibilityAction = { mount.visibilityAction(on: $0) }
        departureAction = mount.departureAction
    }
}
