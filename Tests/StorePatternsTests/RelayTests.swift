import StoreCore
import StorePatterns
import StorePlatform
import Synchronization
import Testing

@Suite struct RelayTests {
    struct LoginView: Equatable, Sendable {
        var isLoading = false
        var error: String?
    }

    @Test func `a behavior relay sends its value, and each change once`() {
        let viewModel = BehaviorRelay(value: LoginView(error: "before"))
        let seen = Locked<[LoginView]>([])
        let end = viewModel.observe { view in seen.withLock { $0.append(view) } }
        viewModel.modify {
            $0.isLoading = true
            $0.error = nil
        }
        end()
        viewModel.accept(LoginView())
        #expect(
            seen.withLock { $0 } == [LoginView(error: "before"), LoginView(isLoading: true)]
        )
        #expect(viewModel.value == LoginView())
    }

    @Test func `a publish relay sends no earlier value to a later listener`() {
        let command = PublishRelay<String>()
        let seen = Locked<[String]>([])
        command.accept("loginCompleted")
        command.observe { value in seen.withLock { $0.append(value) } }
        #expect(seen.withLock { $0 }.isEmpty)
        command.accept("closed")
        #expect(seen.withLock { $0 } == ["closed"])
    }

    @Test func `a value that a listener accepts comes after the value of its call`() {
        let relay = PublishRelay<Int>()
        let seen = Locked<[Int]>([])
        relay.observe { value in if value == 1 { relay.accept(2) } }
        relay.observe { value in seen.withLock { $0.append(value) } }
        relay.accept(1)
        #expect(seen.withLock { $0 } == [1, 2])
    }

    @Test(.timeLimit(.minutes(1))) func `a stream begins with the value as it is`() async {
        let relay = BehaviorRelay(value: 7)
        var values = relay.values.makeAsyncIterator()
        #expect(await values.next() == 7)
        relay.accept(8)
        #expect(await values.next() == 8)
    }
}
