import Glibc
import StorePlatform

/// `store-server assert FILE`: plays a script, and prints for each step whether it holds.
struct AssertCommand {
    private let script: AssertScript

    /// Reads the script.
    ///
    /// - Throws: ``UsageError`` where it can't be read.
    init(_ file: String) throws(UsageError) {
        guard let bytes = FileReader.read(file, bytesMax: AssertScript.bytesMax) else {
            throw UsageError("\(file): it can't be read; allowed is a readable file")
        }
        do { script = try AssertScript(parsing: bytes) } catch {
            throw UsageError("\(file): \(error)")
        }
    }

    /// Plays the script against the server at `url`, or else against one that is started for it.
    /// Returns whether all of it holds.
    ///
    /// - Throws: ``UsageError`` where `url` is no address, and what keeps a server from being
    ///   started or asked.
    func run(
        at url: String?,
        showing credential: Credential?,
        start: () throws -> (url: String, stop: @Sendable () -> Void)
    ) throws -> Bool {
        if let url { return try play(at: url, showing: credential) }
        let server = try start()
        defer { server.stop() }
        return try play(at: server.url, showing: nil)
    }

    private func play(at url: String, showing credential: Credential?) throws -> Bool {
        guard let http = CommandClient(url, credential: credential) else {
            throw UsageError("--url: " + CommandClient.noAddress(url))
        }
        let run = AssertRun(script: script, client: StoreClient(http: http)) { line in
            print(line)
            fflush(nil)
        }
        return try run.play() == 0
    }
}
