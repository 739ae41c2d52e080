import StoreActionCatalog
import StoreAuthorization
import StoreCore
import StoreJSON
import StoreJSONSchema
import StorePlatform

/// The policy of a server in a test: the actions that each role may dispatch.
///
/// The policy's names are checked against the names of the store, as on a server. The role of an
/// action that is sent without a principal is `anonymous`. The policy does not apply to actions
/// that only the program dispatches, such as a module's `Internal`. A test may send such actions.
public struct TestPolicy: Sendable {
    /// The name of the policy's file, for messages; `nil` if the policy comes from a text.
    let fileName: String?
    let read: @Sendable () throws -> [UInt8]

    /// Makes a policy that is read from a file.
    public static func file(_ path: String) -> TestPolicy {
        TestPolicy(fileName: path) {
            guard let bytes = FileReader.read(path, bytesMax: PolicyFile.bytesMax) else {
                throw Refusal(reason: "\(path): can't be read; give a readable file with a policy")
            }
            return bytes
        }
    }

    /// Makes a policy from a text with the contents of a policy's file.
    public static func json(_ text: String) -> TestPolicy {
        TestPolicy(fileName: nil) { Array(text.utf8) }
    }

    /// Returns the checks of a sender's actions and calls of use cases, for a store of this root
    /// state.
    ///
    /// - Throws: an error with all mistakes of the policy.
    func makeAdmission<Root: RootState>(of root: Root.Type) throws -> TestAdmission {
        let modules = Root.modules
        let table = try ActionTable.of(modules).get()
        let useCases = modules.flatMap { mount in
            mount.useCases.map { (path: $0.path, grant: Self.grantName($0.path, of: mount)) }
        }
        let world = PolicyVocabulary(
            members: modules.map(\.name),
            views: Root.views.map { $0.name },
            actions: table.entries.map { entry in
                PolicyAction(
                    entry.signature.name,
                    module: entry.module,
                    isForClients: entry.access != .program,
                    payloadMembers: entry.signature.payloadMemberNames,
                    secrets: entry.secretMembers
                )
            },
            useCases: useCases.map(\.grant),
            notifications: []
        )
        let bytes = try read()
        let policy: Policy
        do {
            policy = try Policy(parsing: bytes, in: world)
        } catch {
            throw Refusal(reason: error.lines(of: fileName).joined(separator: "\n"))
        }
        @Sendable func role(of sender: TestSender) throws(Refusal) -> Role {
            guard let role = policy.role(sender.role) else {
                throw Refusal(reason: "The policy does not have the role '\(sender.role)'.")
            }
            return role
        }
        return TestAdmission { action, sender in
            let member = try table.member(of: action, JSONEncoder())
            let entry = table.entries[member.typeIndex]
            // Only the program dispatches this action, so the policy does not apply.
            if entry.access == .program { return }
            let role = try role(of: sender)
            let document = try? JSONDocument(parsing: member.payload, limits: .unbounded)
            // A denial names the action as the policy does, with `{id}` for an instance.
            let denial = role.denial(
                ofActionAt: member.typeIndex,
                entry.signature.name,
                document?.root,
                principal: sender.name
            )
            switch denial {
            case nil: return
            case .forbidden(let text): throw Refusal(reason: text)
            case .hidden:
                throw Refusal(
                    reason: "The role '\(role.name)' may not see '\(member.type)': a server would "
                        + "answer 404."
                )
            }
        } checkUseCase: { path, sender in
            let role = try role(of: sender)
            let grant = useCases.first { $0.path == path }?.grant
            guard role.mayCall(useCase: grant ?? path) else {
                throw Refusal(reason: "The role '\(role.name)' may not call '\(path)'.")
            }
        }
    }

    /// Returns the name of a use case in a policy: for a module with instances, the name contains
    /// `{id}`.
    private static func grantName<Root: RootState>(_ path: String, of mount: Mount<Root>) -> String
    {
        guard mount.slicePlace.cardinality == .instances, let slash = path.firstIndex(of: "/")
        else {
            return path
        }
        return "\(path[..<slash])/{id}\(path[slash...])"
    }
}

/// The checks of a sender's permissions; each throws an error if the policy denies the request.
struct TestAdmission: Sendable {
    let checkAction: @Sendable (any Action, TestSender) throws -> Void
    let checkUseCase: @Sendable (_ path: String, TestSender) throws -> Void
}

/// The sender of an action in a test: a principal and a session.
struct TestSender: Sendable {
    /// The role and the name of a sender without a principal.
    static let anonymous = "anonymous"

    /// The principal as in records; `nil` for a client without a credential.
    let principal: ActionPrincipal?
    let session: String?
    let role: String
    let name: String

    /// Makes a sender from the text of a principal, such as `author/u1`: the role, a slash and the
    /// name.
    ///
    /// - Throws: ``Refusal`` if the principal has another form.
    init(_ principal: String?, _ session: String?) throws(Refusal) {
        self.session = session
        guard let principal else {
            (self.principal, role, name) = (nil, Self.anonymous, Self.anonymous)
            return
        }
        let sender = ActionPrincipal(principal)
        guard let role = sender.role, !role.isEmpty, !sender.name.isEmpty else {
            throw Refusal(
                reason: "'\(sender)' is no principal; allowed is ROLE/NAME, such as author/u1."
            )
        }
        (self.principal, self.role, name) = (sender, role, sender.name)
    }
}
