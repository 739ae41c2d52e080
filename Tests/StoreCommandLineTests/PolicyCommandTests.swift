import Testing

@testable import StoreCommandLine

private struct Nothing: CommandLineConfiguration {
    static var defaults: Nothing { Nothing() }
    static var options: [ConfigurationOption<Nothing>] { [] }
}

@Suite struct PolicyCommandTests {
    private func read(_ words: [String]) throws(UsageError) -> PolicyCommand? {
        let reader = try ConfigurationReader<Nothing>(
            arguments: words,
            environment: [:],
            readFile: { _ in nil }
        )
        guard case .policy(let command) = reader.command else { return nil }
        return command
    }

    @Test func `a policy is checked or explained`() throws {
        let check = try read(["policy", "check", "p.json"])
        #expect(check?.verb == .check && check?.file == "p.json")
        let path = try read(
            ["policy", "explain", "p.json", "--role", "a", "--path=/state", "--method", "GET"]
        )
        #expect(path?.verb == .explain && path?.file == "p.json")
        #expect(path?[.role] == "a" && path?[.path] == "/state" && path?[.method] == "GET")
        let action = try read(
            ["policy", "explain", "--role", "a", "--action", "x/y", "--payload", "{}"]
                + ["--principal", "ann", "--store", "chat"]
        )
        #expect(action?.file == nil && action?.store == "chat" && action?[.principal] == "ann")
    }

    @Test(arguments: [
        ["policy"], ["policy", "chek", "p"], ["policy", "check"], ["policy", "explain", "p"],
        ["policy", "explain", "--role", "a"], ["policy", "explain", "--path", "/"],
        ["policy", "explain", "--role", "a", "--path", "/", "--action", "x"],
        ["policy", "explain", "--role", "a", "--role", "b", "--path", "/"],
        ["policy", "explain", "--role", "a", "--path", "/", "--payload", "{}"],
        ["policy", "explain", "--role", "a", "--action", "x", "--method", "GET"],
        ["policy", "check", "p", "--role", "a"], ["--role", "a"], ["policy", "check", "p", "more"],
        ["policy", "explain", "--role"], ["policy", "check", "p", "--store", "a", "--store", "b"],
    ])
    func `an incomplete question is refused`(words: [String]) {
        #expect(throws: UsageError.self) { try read(words) }
    }
}
