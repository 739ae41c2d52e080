import Glibc
import StorePlatform

/// The command `store-server assert FILE`, which plays a script and prints the outcome of each
/// step.
package struct AssertCommand {
    private let script: AssertScript

    /// Reads the script. Throws if the script can't be read.
    package init(_ file: String) throws(UsageError) {
        guard let bytes = FileReader.read(file, bytesMax: AssertScript.bytesMax) else {
            throw UsageError("\(file): it can't be read; allowed is a readable file")
        }
        do { script = try AssertScript(parsing: bytes) } catch {
            throw UsageError("\(file): \(error)")
        }
    }

    package var principals: [String] { script.principals }

    /// Plays the script against the server at `url`. Returns true if the result of every step is as
    /// expected. Throws if `url` is not an address, if the credential of a step is missing, or if
    /// the server does not answer.
    package func play(at url: String, showing credentials: ScriptCredentials) throws -> Bool {
        if let other = script.principals.first(where: {
            credentials.senderCredentialsByPrincipal[$0] == nil
        }) {
            throw UsageError(
                "a step acts as '\(other)', whose credential is missing; give --as \(other)=FILE"
            )
        }
        guard let http = CommandClient(url) else {
            throw UsageError("--url: " + CommandClient.invalidAddressMessage(url))
        }
        var run = AssertRun(script: script, client: StoreClient(http: http, credentials)) { line in
            print(line)
            fflush(nil)
        }
        return try run.play() == 0
    }
}

/// Plays a script against a server, and prints the outcome of each step.
struct AssertRun {
    let script: AssertScript
    var client: StoreClient
    let printLine: (String) -> Void

    /// Plays all steps, even after a failed step. Returns the number of failed steps.
    mutating func play() throws(CommandClientError) -> Int {
        var failedCount = 0
        var sender = AssertScript.Sender()
        var stateBefore = try client.readState(sender)
        for (index, step) in script.steps.enumerated() {
            if step.sender != sender {
                sender = step.sender
                try client.beginSession(of: sender)
                stateBefore = try client.readState(sender)
            }
            let outcome = try client.perform(step.request, sender)
            let stateAfter = try client.readState(sender)
            let applied = try client.appliedActions(
                after: stateBefore.version,
                through: stateAfter.version,
                sender
            )

            var check = AssertCheck(expectation: step.expectation)
            check.checkAnswer(outcome)
            check.checkState(from: stateBefore.state, to: stateAfter.state)
            check.checkConsequences(applied.filter(\.isConsequence).map(\.type))
            check.addActionsOfOtherClients(Self.actionTypesOfOtherClients(applied, outcome))
            stateBefore = stateAfter

            printLine(
                "\(check.differenceLines.isEmpty ? "ok    " : "failed") \(index + 1) \(step.title)"
            )
            guard !check.differenceLines.isEmpty else { continue }
            failedCount += 1
            for line in check.differenceLines { printLine(line) }
            if check.differenceLines.contains(where: { $0.hasPrefix("−") || $0.hasPrefix("+") }) {
                printLine("  −: stated, +: is")
            }
        }
        let count = script.steps.count
        printLine(
            failedCount == 0
                ? "\(script.name): \(count) of \(count) steps hold"
                : "\(script.name): \(failedCount) of \(count) steps failed"
        )
        return failedCount
    }

    /// Returns the wire names of the actions that other clients dispatched: neither the step nor
    /// the program dispatched these actions.
    private static func actionTypesOfOtherClients(
        _ applied: [StoreClient.AppliedEntry],
        _ outcome: StoreClient.Outcome
    ) -> [String] {
        var own: ClosedRange<UInt64>?
        if case .succeeded(let versions) = outcome { own = versions }
        return applied.filter { !$0.isConsequence && own?.contains($0.version) != true }.map(\.type)
    }
}
