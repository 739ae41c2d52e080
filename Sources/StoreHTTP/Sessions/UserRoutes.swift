import StoreAdmission
import StoreCore
import StoreHTTPTransport
import StoreJSON
import StoreJSONSchema
import StorePatterns
import StoreWire

/// `GET /users` lists the users that have slices, for operators. `DELETE /users/{principal}`
/// removes all slices of a user, and cancels the effects that follow actions of the user.
struct UserRoutes: RouteGroup {
    /// The default number of users of one answer, and the most.
    static let limitDefault: UInt64 = 1_000
    static let limitMax: UInt64 = 10_000

    let store: Store

    private static let limit = Parameter<UInt64>.number(
        "limit",
        in: 1...limitMax,
        "The most users in the answer; \(limitDefault) by default."
    )
    private static let after = Parameter<String>.text(
        "after",
        "The answer begins with the first user behind this name."
    )

    var routes: [Route] {
        let user = JSONSchema.object([
            .init("principal", .string()), .init("modules", .array(of: .string())),
        ])
        let list = JSONSchema.object([
            .init("version", .unsigned), .init("users", .array(of: user)),
            .init("next", .string(), isRequired: false),
        ])
        return [
            .reading(
                store.links.users,
                "Users",
                "The users that have slices of their own, by name.",
                needs: .operators,
                parameters: [Self.limit, Self.after],
                answers: [.json(list, "The users, and the path of the next page.")],
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
                answers: [.done],
                problems: [.notFound, .storageFull],
                audience: .operators,
                handle: forget
            ),
        ]
    }

    private func answerList(_ request: RequestContext) {
        let limit = Int(request[Self.limit] ?? Self.limitDefault)
        let after = request[Self.after]
        request.exchange.suspend()
        let isTaken = store.reader.threads.largeAnswers.submitAnswer { [store] in
            let (version, users) = store.reader.users(after: after, limit: limit + 1)
            var json = JSONWriter(capacity: 4_096)
            json.object { json in
                json.member("version", version)
                json.objectArray("users", of: users.prefix(limit)) { json, user in
                    json.member("principal", user.principal)
                    json.member("modules", user.modules)
                }
                guard users.count > limit, let last = users.prefix(limit).last else { return }
                json.member("next", store.links.users(after: last.principal, limit: limit))
            }
            let body = json.byteArray
            request.complete(.success(.uncached(body)))
            return body.count
        }
        if !isTaken {
            request.complete(.failure(.overloaded("too many state reads wait already")))
        }
    }

    private func forget(_ request: RequestContext) throws(Problem) {
        let principal = try request.pathParameter(0)
        guard store.reader.hasSlices(ofUser: principal) else { throw request.notFound }
        try SessionTicket(request, store) { version in
            version.map { _ in .done(with: []) }
        }.dispatch(Users.Internal.forgotten(principal: principal), from: request.useSession())
    }
}
