import Glibc
import StoreAuthentication
import StoreCommandLine
import StorePlatform

/// A keys file for a server that is started for a script. The file has a key for each principal
/// that the script names, and keys with all rights, for the reads between its steps.
///
/// Only the user may access the folder of the file; ``remove()`` removes it.
struct ScriptKeys: Sendable {
    /// The path of the keys file.
    let path: String
    /// The role with all rights. Its name is random, so that no policy contains it.
    let readerRole: String
    let credentials: ScriptCredentials
    private let folder: String

    /// Makes the folder and the keys file.
    ///
    /// - Parameter principals: roles and names, such as `author/u1`.
    /// - Throws: an error if the folder can't be made, or a principal has a name that no key may
    ///   have.
    init(for principals: [String]) throws {
        var template = Array("\(Self.temporaryFolder)/store-script-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw HistoryCommandError(
                "\(Self.temporaryFolder): can't make a folder there: \(SystemError.text)"
            )
        }
        folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        path = folder + "/keys.json"
        var random = SystemRandomNumberGenerator()
        readerRole = "script-" + String(random.next() as UInt64, radix: 16)
        do {
            let file = APIKeyFile(path)
            let now = SystemTime.wallNanoseconds() / 1_000_000_000
            func token(_ name: String, _ role: String) throws -> String {
                try file.create(principal: name, role: role, expires: nil, at: now).token
            }
            var (senders, readers) = ([String: String](), [String: String]())
            for principal in principals {
                let parts = principal.split(separator: "/", maxSplits: 1).map(String.init)
                guard parts.count == 2 else { continue }
                senders[principal] = try token(parts[1], parts[0])
                readers[principal] = try token(parts[1], readerRole)
            }
            credentials = try ScriptCredentials(
                reader: try token("script", readerRole),
                senders: senders,
                readers: readers
            )
        } catch {
            Self.remove(folder, path)
            throw error
        }
    }

    /// Removes the folder with the keys.
    func remove() { Self.remove(folder, path) }

    private static func remove(_ folder: String, _ path: String) {
        unlink(path)
        rmdir(folder)
    }

    private static var temporaryFolder: String { ProcessEnvironment.all["TMPDIR"] ?? "/tmp" }
}
