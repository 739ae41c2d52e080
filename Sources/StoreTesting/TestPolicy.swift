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
/// that only the program dispatches, such as a module's `Internal`. A test may send these.
public struct TestPolicy: Sendable {
    private let read: @Sendable () throws -> [UInt8]
    private let name: String?

    /// Makes a policy that is read from a file.
    public static func file(_ path: String) -> TestPolicy {
        TestPolicy(name: path) {
            guard let bytes = FileReader.read(path, bytesMax: PolicyFile.bytesMax) else {
                throw Refusal(reason: "\(path): can't be read; allowed is a policy's file")
            }
            return bytes
        }
    }

    /// Makes a policy of a text in the form of a policy's file.
    public static func json(_ text: String) -> TestPolicy {
        TestPolicy(name: nil) { Array(text.utf8) }
    }

    private init(name: String?, _ read: @escaping @Sendable () throws -> [UInt8]) {
        self.name = name
        self.read = read
    }

    /// Makes the checks of a sender's actions and calls of use cases, for a store with these
    /// modules.
    ///
    /// - Throws: an error with all mistakes of the policy.
    func check<Root: RootState>(of root: Root.Type) throws -> TestAdmission {
        let modules = Root.modules
        let registry = try ActionRegistry<Root>(
            [],
            modules.map { ModuleActions($0) } + [ModuleActions(of: Root.self)]
        )
        let world = PolicyWorld(
            members: modules.map(\.name),
            views: Root.views.map { $0.name },
            actions: registry.entries.map { entry in
                PolicyAction(
                    entry.form.name,
                    module: entry.module,
                    isForClients: entry.access != .program,
                    members: entry.form.memberNames,
                    secrets: entry.secrets
                )
            },
            useCases: modules.flatMap { mount in
                mount.useCases.map { Self.grantName($0.path, of: mount) }
            },
            notifications: []
        )
        let bytes = try read()
        let policy: Policy
        do {
            policy = try Policy(parsing: bytes, in: world)
        } catch {
            throw Refusal(reason: error.lines(of: name).joined(separator: "\n"))
        }
        @Sendable func role(of sender: TestSender) throws(Refusal) -> Role {
            guard let role = policy.role(sender.role) else {
                throw Refusal(reason: "The policy does not have the role '\(sender.role)'.")
            }
            return role
        }
        let useCases = Dictionary(
            modules.flatMap { mount in
                mount.useCases.map { ($0.path, Self.grantName($0.path, of: mount)) }
            },
            uniquingKeysWith: { first, _ in first }
        )
        return TestAdmission { action, sender in
            let member = try registry.member(of: action, JSONEncoder())
            let entries = registry.entries
            // A test sends this action in the place of the program.
            if entries.indices.contains(member.number),
                entries[member.number].access == .program
            {
                return
            }
            let role = try role(of: sender)
            // A denial names the action as the policy does, with `{id}` for an instance.
            let type =
                entries.indices.contains(member.number)
                ? entries[member.number].form.name : member.type
            let document = try? JSONDocument(parsing: member.payload, limits: .unbounded)
            let denial = role.denial(
                ofAction: member.number,
                type,
                document?.root,
                principal: sender.name
            )
            switch denial {
            case nil: return
            case .mayNot(let text): throw Refusal(reason: text)
            case .hidden:
                throw Refusal(reason: "'\(member.type)' is not there for '\(role.name)'.")
            }
        } useCase: { path, sender in
            let role = try role(of: sender)
            guard role.mayCall(useCase: useCases[path] ?? path) else {
                throw Refusal(reason: "The role '\(role.name)' may not call '\(path)'.")
            }
        }
    }

    /// Returns the name of a use case in a policy: for a module with instances, it contains `{id}`.
    private static func grantName<Root: RootState>(_ path: String, of mount: Mount<Root>) -> String
    {
        guard mount.slice.form == .instances, let slash = path.firstIndex(of: "/") else {
            return path
        }
        return path[...slash] + "{id}" + path[slash...]
    }
}

/// The checks of a sender's permissions; each throws an error if the policy denies the request.
struct TestAdmission: Sendable {
    let action: @Sendable (any Action, TestSender) throws -> Void
    let useCase: @Sendable (_ path: String, TestSender) throws -> Void

    /// The checks that allow everything.
    static let open = TestAdmission { _, _ in
    } useCase: { _, _ in
    }
}

/// The sender of an action in a test: a principal and a session.
struct TestSender: Sendable {
    /// The role and the name of a sender without a principal.
    static let anonymous = "anonymous"

    /// The principal, as records have it; `nil` for a client without a credential.
    let principal: ActionPrincipal?
    /// The session's name; `nil` for a client without one.
    let session: String?
    /// The principal's role.
    let role: String
    /// The principal's name.
    let name: String

    /// - Parameters:
    ///   - principal: the role, a slash and the name, such as `author/u1`.
    ///   - session: the session's name.
    /// - Throws: ``Refusal`` if the principal has another form.
    init(_ principal: String?, _ session: String?) throws(Refusal) {
        self.session = session
        self.principal = principal.map { ActionPrincipal($0) }
        guard let principal = self.principal else {
            (role, name) = (Self.anonymous, Self.anonymous)
            return
        }
        guard let role = principal.role, !role.isEmpty, !principal.name.isEmpty else {
            throw Refusal(reason: Self.wrong(principal.description))
        }
        (self.role, name) = (role, principal.name)
    }

    private static func wrong(_ principal: String) -> String {
        "'\(principal)' is no principal; allowed is ROLE/NAME, such as author/u1."
    }
}
