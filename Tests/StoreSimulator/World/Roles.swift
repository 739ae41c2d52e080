import Glibc
import StoreAuthentication
import StoreCore
import StoreServer

/// The roles of clients, in an operator's files. Each role sees some of the modules, and has the
/// grants for all methods.
final class Roles {
    /// A principal with a role of its own. Its key is in the keys file.
    struct Member {
        let name: String
        let token: String
    }

    /// A view, and the modules that it is made from.
    struct View {
        let name: String
        let modules: Set<String>
    }

    let members: [Member]
    private(set) var sights: [Set<String>]
    /// The names of the views that each member is granted.
    private(set) var views: [Set<String>] = []
    private let modules: [String]
    private let allViews: [View]
    private let folder: String

    /// Creates keys and a policy in a folder, for roles that each see at least one of these
    /// modules.
    init(
        _ modules: [String],
        _ views: [View],
        in folder: String,
        _ chance: inout Chance
    ) throws {
        self.modules = modules
        allViews = views
        self.folder = folder
        mkdir(folder, 0o700)
        let keys = APIKeyFile(folder + "/keys.json")
        members = try (0..<3).map { number in
            let name = "member\(number)"
            let made = try keys.create(principal: name, role: name, expiresAt: nil, at: 0)
            return Member(name: name, token: made.token)
        }
        sights = []
        try draw(&chance)
    }

    /// Returns the roles of a simulation; `nil` for two seeds of three, which have no roles.
    static func some(_ seed: UInt64, _ views: [View], _ modules: [String]) throws -> Roles? {
        guard seed / 2 % 3 == 1 else { return nil }
        var chance = Chance(seed: seed, step: -3)
        let folder = "/tmp/simulated-roles-\(getpid())-\(seed)"
        return try Roles(modules, views, in: folder, &chance)
    }

    /// Writes another policy.
    func draw(_ chance: inout Chance) throws {
        sights = members.map { _ in
            var sight = Set(modules.filter { _ in chance.happens(1, in: 2) })
            sight.insert(chance.pick(modules))
            return sight
        }
        views = sights.map { sight in
            let isAll = chance.happens(1, in: 2)
            return Set(allViews.filter { isAll || $0.modules.isSubset(of: sight) }.map(\.name))
        }
        let use = #""schema","sessions","effects","analytics","metrics","stores","clock""#
        let roles = members.indices.map { place in
            let granted = sights[place].map { "/" + $0 } + views[place].map { "views/" + $0 }
            let read = granted.sorted().map { "\"\($0)\"," }.joined()
            return
                #""\#(members[place].name)":{"read":[\#(read)"log"],"dispatch":["*"],"#
                + #""call":["*"],"use":[\#(use)]}"#
        }
        let open = #""anonymous":{"read":["*"],"dispatch":["*"],"call":["*"],"use":[\#(use)]}"#
        let text = #"{"roles":{"# + (roles + [open]).joined(separator: ",") + "}}"
        guard let file = fopen(folder + "/policy.json", "w") else {
            throw Violation(.trap, "no policy can be written")
        }
        defer { fclose(file) }
        guard fputs(text, file) >= 0 else { throw Violation(.trap, "no policy can be written") }
    }

    /// Returns the modules that a member sees; `nil` if it sees all modules.
    func sight(of place: Int) -> Set<String>? {
        sights[place].count == modules.count ? nil : sights[place]
    }

    /// True if views show a member a part of modules that it does not see.
    func showsUnseen(to place: Int) -> Bool {
        allViews.contains {
            views[place].contains($0.name) && !$0.modules.isSubset(of: sights[place])
        }
    }

    /// Sets the two files in a server's configuration.
    func configure(_ configuration: inout ServerConfiguration) {
        configuration.access.apiKeysFile = folder + "/keys.json"
        configuration.access.policyFile = folder + "/policy.json"
    }

    deinit {
        unlink(folder + "/keys.json")
        unlink(folder + "/policy.json")
        rmdir(folder)
    }
}
