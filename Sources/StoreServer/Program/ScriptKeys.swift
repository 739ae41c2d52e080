import Glibc
import StoreAuthentication
import StoreCommandLine
import StorePlatform

extension Server {
    /// Starts a server for a script, with its history in memory. If there is a policy, the server
    /// accepts a credential for each of the principals, such as `author/u1`. Calls `play` with the
    /// server's URL and the credentials, and then stops the server.
    func serveScript(
        _ configuration: ServerConfiguration,
        actingAs principals: [String],
        play: (String, ScriptCredentials) throws -> Bool
    ) throws -> Bool {
        var own = configuration
        var keys: ScriptKeys?
        defer { keys?.remove() }
        if own.access.policyFile != nil {
            let made = try ScriptKeys(for: principals)
            own.access.apiKeysFile = made.path
            own.unrestrictedRole = made.unrestrictedRole
            keys = made
        } else if let principal = principals.first {
            throw UsageError("a step acts as '\(principal)', which needs a server with --policy")
        }
        own.http.listen = ["127.0.0.1:0"]
        own.http.adminListen = []
        own.history.ephemeral = true
        own.analytics.destination = .off
        let memory = with { memory in
            memory.openProgramJournal = nil
            memory.otherStores = otherStores.map { ($0.name, $0.server.withoutProgramJournal) }
        }
        let running = try memory.start(own)
        defer { running.stop() }
        return try play(running.addresses.joined(), keys?.credentials ?? ScriptCredentials())
    }
}

/// A keys file for a server that is started for a script. The file has a key for each principal in
/// the script. For the reads between the steps of the script, the file also has keys with all
/// rights. Only the user may access the folder of the file; ``remove()`` removes the folder.
struct ScriptKeys: Sendable {
    let path: String
    /// The role with all rights. Its name is random, so that no policy contains it.
    let unrestrictedRole: String
    let credentials: ScriptCredentials
    private let folder: String

    /// Makes the folder and the keys file. Throws if the folder can't be made, or if a principal
    /// such as `author/u1` has a name that no key may have.
    init(for principals: [String]) throws {
        var template = Array("\(Self.temporaryFolder)/store-script-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw CommandFailure(
                "\(Self.temporaryFolder): can't make a folder there: \(SystemError.text)"
            )
        }
        folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        path = folder + "/keys.json"
        var random = SystemRandomNumberGenerator()
        unrestrictedRole = "script-" + String(random.next() as UInt64, radix: 16)
        do {
            let file = APIKeyFile(path)
            let now = SystemTime.wallNanoseconds() / 1_000_000_000
            func credential(_ name: String, _ role: String) throws -> Credential {
                let key = try file.create(principal: name, role: role, expiresAt: nil, at: now)
                return try Credential(key.token, of: "\(role)/\(name)")
            }
            var credentials = ScriptCredentials(
                sessionlessReaderCredential: try credential("script", unrestrictedRole)
            )
            for principal in principals {
                let parts = principal.split(separator: "/", maxSplits: 1).map(String.init)
                guard parts.count == 2 else { continue }
                credentials.senderCredentialsByPrincipal[principal] = try credential(
                    parts[1],
                    parts[0]
                )
                credentials.sessionReaderCredentialsByPrincipal[principal] = try credential(
                    parts[1],
                    unrestrictedRole
                )
            }
            self.credentials = credentials
        } catch {
            Self.remove(folder, path)
            throw error
        }
    }

    func remove() { Self.remove(folder, path) }

    private static func remove(_ folder: String, _ path: String) {
        unlink(path)
        rmdir(folder)
    }

    private static var temporaryFolder: String { ProcessEnvironment.variables["TMPDIR"] ?? "/tmp" }
}
