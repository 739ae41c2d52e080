import DefaultLoginUseCases
import DefaultUserInterface
import StoreCore
import StorePatterns
import StoreTesting
import Testing

/// The use case alone, without a module or a store.
@Suite struct LoginInteractorTests {
    private struct Failing: UserRepository {
        let error: any Error
        func user(named name: String, password: String) async throws -> Profile { throw error }
    }

    private let ada = Profile(userName: "ada", displayName: "Ada")

    private let outputs = Recorder<LoginOutput>()
    private let lines = Recorder<String>()

    private func interactor(_ users: any UserRepository) -> LoginInteractor {
        LoginInteractor(
            dispatcher: AnyDispatcher { [outputs] in outputs.record($0) },
            users: users,
            log: OperatorLog { [lines] in lines.record("\($0) \($1)") }
        )
    }

    private var users: MemoryUserRepository {
        MemoryUserRepository(["ada": (password: "secret", profile: ada)])
    }

    private var written: [String] { lines.values }

    @Test func `success has two outputs, and nothing is written`() async throws {
        try await interactor(users).login(userName: "ada", password: "secret")
        #expect(try await outputs.next() == .loading)
        #expect(try await outputs.next() == .succeeded(ada))
        #expect(written.isEmpty)
    }

    @Test func `a refusal gives its reason to the visitor and to the operator`() async throws {
        try await interactor(users).login(userName: "ada", password: "guess")
        #expect(try await outputs.next() == .loading)
        let reason = "The name or the password is wrong."
        #expect(try await outputs.next() == .failed(reason: reason))
        #expect(written == [#"warning a login failed user="ada" reason="\#(reason)""#])
    }

    @Test(arguments: ["guess", "my guess is"])
    func `a name that has the password is left out`(name: String) async throws {
        try await interactor(users).login(userName: name, password: "guess")
        #expect(written.count == 1 && !written.joined().contains("guess"))
    }

    @Test func `the log has only the type of a failing repository's error`() async throws {
        struct Leaky: Error { let sent = "guess" }
        try await interactor(Failing(error: Leaky())).login(userName: "ada", password: "guess")
        #expect(try await outputs.next() == .loading)
        let reason = "The users can't be looked up at the moment."
        #expect(try await outputs.next() == .failed(reason: reason))
        #expect(written == [#"error a login failed user="ada" reason="Leaky""#])
    }

    @Test func `a cancelled login has no further output`() async throws {
        let interactor = interactor(Failing(error: CancellationError()))
        await #expect(throws: CancellationError.self) {
            try await interactor.login(userName: "ada", password: "guess")
        }
        #expect(written.isEmpty)
    }
}
