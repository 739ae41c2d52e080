import StoreCore
import Testing

@Suite struct ActionPrincipalTests {
    @Test func `a role and a name are apart, also if the name has slashes`() {
        let principal = ActionPrincipal(name: "issuer/ada", role: "author")
        #expect(principal.name == "issuer/ada" && principal.role == "author")
        #expect(principal.description == "author/issuer/ada")
    }

    @Test func `the text of an older record is read as role and name`() {
        #expect(ActionPrincipal("author/ada") == ActionPrincipal(name: "ada", role: "author"))
    }

    @Test func `a text without a slash is a name without a role`() {
        let principal = ActionPrincipal("ann")
        #expect(principal.name == "ann" && principal.role == nil)
    }

    @Test func `a slash with a combining mark behind it ends the role`() {
        let principal = ActionPrincipal("author/\u{301}ada")
        #expect(principal.role == "author" && principal.name == "\u{301}ada")
    }

    @Test func `principals are equal if their bytes are`() {
        #expect(ActionPrincipal("a/caf\u{e9}") != ActionPrincipal("a/cafe\u{301}"))
    }
}
