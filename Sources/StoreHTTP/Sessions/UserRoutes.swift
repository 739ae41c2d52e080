import StoreAdmission
import StoreCore
import StoreHTTPTransport
import StoreJSON
import StoreJSONSchema
import StorePatterns
import StoreWire

/// `GET /users` lists the users that have slices, for operators. `DELETE /users/{principal}`
/// removes all slices of a user, and cancels the effects that the user's actions have started.
struct UserRoutes: RouteGroup {
    let store: Store

    private var pages: NamePages { NamePages(memberName: "users", path: store.links.users) }

    var routes: [Route] {
        let user = JSONSchema.object([
            .init("principal", .string()), .init("modules", .array(of: .string())),
        ])
        return [
            .reading(
                store.links.users,
                "Users",
                "The users that have slices of their own, by name.",
                needs: .operators,
                parameters: NamePages.parameters,
                answers: [
                    .json(pages.schema(of: user), "The users, and the path of the next page.")
                ],
                audience: .operators,
                handle: answerList
            ),
            .changing(
                .delete,
                store.links.users + "/{principal}",
                "forgetUser",
                "Remove all slices of a user, and cancel the effects of the user's actions.",
                needs: .operators,
                parameters: [Parameter.path("principal", "The name of the user.")],
                answers: [.noContent],
                problems: [.notFound, .storageFull],
                audience: .operators,
                handle: forget
            ),
        ]
    }

    private func answerList(_ request: RequestContext) {
        pages.answer(request, by: store.reader) { [reader = store.reader] after, limit in
            reader.users(after: after, limit: limit)
        } name: {
            $0.principal
        } write: { json, user in
            json.member("principal", user.principal)
            json.member("modules", user.modules)
        }
    }

    private func forget(_ request: RequestContext) throws(Problem) {
        let principal = try request.pathParameter(0)
        guard store.reader.hasSlices(ofUser: principal) else { throw request.notFound }
        try SessionTicket(request, store) { version in
            version.map { _ in .noContent(settingCookies: []) }
        }.dispatch(Users.Internal.forgotten(principal: principal), from: request.useSession())
    }
}
