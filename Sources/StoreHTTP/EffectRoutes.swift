import StoreAdmission
import StoreCore
import StoreHTTPTransport
import StoreJSON
import StoreJSONSchema
import StoreTexts
import StoreWire

/// The routes that list the running effects, and that cancel effects.
struct EffectRoutes: RouteGroup {
    let links: Links
    let runner: EffectRunner
    let reader: StateReader

    var routes: [Route] {
        [
            .reading(
                links.effects,
                "Effects",
                "The effects that run.",
                needs: .effects,
                answers: [
                    .json(.list("effects", of: Self.effectSchema), "The list, the oldest first.")
                ],
                handle: list
            ),
            .changing(
                .delete,
                links.effects + "/{effect...}",
                "cancelEffect",
                "Cancel an effect; nothing that it dispatches is applied any more.",
                needs: .effects,
                parameters: [
                    Parameter.path(
                        "effect",
                        "The effect's id in the list; its slashes may be encoded."
                    )
                ],
                answers: [.noContent],
                problems: [.notFound]
            ) { [runner, reader] request throws(Problem) in
                let (id, caller) = (try Self.id(of: request), try request.caller())
                // For a caller that sees the whole state, no search among the running effects is
                // necessary: `cancel` finds the effect.
                let isSeen =
                    reader.showsEverything(to: caller)
                    || runner.runningEffects.contains {
                        $0.id.isSame(as: id) && reader.shows($0.address, to: caller)
                    }
                guard isSeen, runner.cancel(id, for: caller.viewer) else {
                    throw request.notFound
                }
                request.respond(.noContent)
            },
        ]
    }

    /// Returns the effect's id, which is the rest of the path: `search/titles`, or
    /// `cards/7/opened`.
    private static func id(of request: RequestContext) throws(Problem) -> String {
        let rest = try request.pathParameter().dropFirst()
        guard let id = PercentEncoding.decode(rest) else {
            throw .badRequest("'\(Problem.excerpt(String(rest)))' is badly percent-encoded.")
        }
        return id
    }

    private static let effectSchema = JSONSchema.object([
        .init("id", .string()), .init("module", .string()), .init("cause", .unsigned),
        .init("href", .string()),
    ])

    private func list(_ request: RequestContext) throws(Problem) {
        let caller = try request.caller()
        request.respond { json in
            // The list leaves out cancelled effects, which dispatch nothing more and are about to
            // end.
            let running = runner.runningEffects.lazy.filter { effect in
                !effect.isCancelled && reader.shows(effect.address, to: caller)
            }
            json.objectArray("effects", of: running) { json, effect in
                json.member("id", effect.id)
                json.member("module", effect.address.module)
                json.member("cause", effect.cause.version)
                json.member("href", links.effect(effect.id))
            }
        }
    }
}

extension EffectRunner {
    /// Cancels the effects with this id that the viewer may list: shared effects, and effects of
    /// the viewer's session and user. For an operator, cancels the effects with this id of all
    /// sessions and users. Returns `true` if an effect was cancelled.
    fileprivate func cancel(_ id: String, for viewer: Viewer) -> Bool {
        guard let session = viewer.session else { return cancelEverywhere(id: id) }
        return cancel(id: id, of: session.text) || cancel(id: id, of: viewer.owner?.text)
            || cancel(id: id)
    }
}

/// `?cancel=on-close`: cancels the effects if the waiting client closes its side of the connection.
enum CancelOnClose: String, CaseIterable, Sendable {
    case onClose = "on-close"

    static let parameter = Parameter<CancelOnClose>.choice(
        "cancel",
        "Cancel the effects if you close the connection while you wait for them."
    )
}
