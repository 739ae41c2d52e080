import StoreTestSupport
import Testing

@Suite struct WaitingTests {
    @Test func `a wait whose condition does not come fails with the condition`() {
        withKnownIssue {
            let holds = wait("nothing comes", seconds: 0) { false }
            #expect(!holds)
        } matching: { issue in
            issue.comments.map(\.rawValue) == ["Not within 0 s: nothing comes."]
        }
        #expect(wait("it is there", seconds: 0) { true })
    }
}
