import Glibc
import StoreAuthentication
import StoreCore
import StoreServer
import StoreWire

/// The roles of clients, in files as an operator has them. Each sees some of the modules, and may
/// do whatever can be done.
final class Roles {
    /// A principal, whose key is in the file. It has a role of its own.
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
    /// The views that each is granted, by their names.
    private(set) var views: [Set<String>] = []
    private let modules: [String]
    private let allViews: [View]
    private let folder: String

    /// Keys and a policy in a folder, for roles that each see at least one of these modules.
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
            let made = try keys.create(principal: name, role: name, expires: nil, at: 0)
            return Member(name: name, token: made.token)
        }
        sights = []
        try draw(&chance)
    }

    /// Those of a simulation; `nil` for two seeds of three, which have none.
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

    /// The modules that a member sees; `nil` for one that sees all, who is shown everything.
    func sight(of place: Int) -> Set<String>? {
        sights[place].count == modules.count ? nil : sights[place]
    }

    /// Whether views show a member something of modules that it does not see.
    func showsUnseen(to place: Int) -> Bool {
        allViews.contains {
            views[place].contains($0.name) && !$0.modules.isSubset(of: sights[place])
        }
    }

    /// Has a server take its files.
    func configure(_ configuration: inout ServerConfiguration) {
        configuration.authKeysFile = folder + "/keys.json"
        configuration.policyFile = folder + "/policy.json"
    }

    deinit {
        unlink(folder + "/keys.json")
        unlink(folder + "/policy.json")
        rmdir(folder)
    }
}
