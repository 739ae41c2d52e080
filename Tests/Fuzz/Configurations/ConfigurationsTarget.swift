@testable import StoreCommandLine
@testable import StoreServer

/// Flags, a line each, and after a NUL the file for `--config`. The flags are refused with the
/// reason, or make a configuration whose printed form makes the same configuration.
struct ConfigurationsTarget: FuzzTarget {
    private typealias Reader = ConfigurationReader<ServerConfiguration>

    func run(_ bytes: UnsafeRawBufferPointer) {
        let (flags, file) = halves(of: bytes)
        let lines = flags.split(separator: 10).map(\.text)
        do throws(UsageError) {
            let reader = try Reader(arguments: lines, environment: [:]) { path in
                // Values may name files, too.
                path.isEmpty ? nil : file
            }
            check(reader.configuration)
        } catch {
            hold(!error.description.isEmpty, "A refusal has words.")
        }
        checkVariables(lines, file)
    }

    /// Reads the same lines as variables of the environment.
    private func checkVariables(_ lines: [String], _ file: [UInt8]) {
        var variables: [String: String] = [:]
        for line in lines {
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = parts[0].replacing("-", with: "_").uppercased()
            variables["STORE_SERVER" + name.dropFirst()] = parts.count > 1 ? String(parts[1]) : ""
        }
        let reader = try? Reader(arguments: [], environment: variables) { _ in file }
        if let reader { check(reader.configuration) }
    }

    private func check(_ configuration: ServerConfiguration) {
        let printed = ConfigurationHelp.configurationText(configuration)
        do throws(UsageError) {
            let again = try Reader(arguments: ["--config", "printed"], environment: [:]) { _ in
                Array(printed.utf8)
            }
            hold(again.configuration == configuration, "It reads back as another: \(printed)")
        } catch {
            fatalError("It does not read back: \(error) of \(printed)")
        }
        try? configuration.check()
    }
}
