import Testing

@testable import StoreCore

@Suite struct ActionKindTests {
    private struct Liked: Action {}

    @Test func `actions of instances share the name of all of them`() {
        let action = Liked().to("7")
        #expect(action.wireNameTemplate(of: "cards/7/liked") == "cards/{id}/liked")
        #expect(Liked().to("a/b").wireNameTemplate(of: "cards/a/b/liked") == "cards/{id}/liked")
        #expect(
            Liked().to("\u{301}").wireNameTemplate(of: "cards/\u{301}/liked") == "cards/{id}/liked"
        )
    }

    @Test func `other names stay as they are`() {
        for name in ["Liked", "cards/liked", "cards/7/liked", "usecases/cards/7/liked", ""] {
            #expect(Liked().wireNameTemplate(of: name) == name)
        }
    }

    @Test func `use cases of instances share a name, and other use cases keep theirs`() {
        let path = "cards/renamed"
        let asked = ClientRequest(
            name: ClientRequest.name(ofUseCase: path, instance: "7"),
            address: SliceAddress(module: "cards", SliceKey(owner: nil, instance: "7")),
            effect: nil
        )
        #expect(asked.name == "usecases/cards/7/renamed")
        #expect(asked.wireNameTemplate(of: asked.name) == "usecases/cards/{id}/renamed")
        let other = ClientRequest(notification: "paid")
        #expect(other.wireNameTemplate(of: other.name) == "notify/paid")
        let whole = ClientRequest(
            name: ClientRequest.name(ofUseCase: "login/login", instance: nil),
            address: SliceAddress(module: "login", SliceKey(owner: nil, instance: nil)),
            effect: nil
        )
        #expect(whole.wireNameTemplate(of: whole.name) == "usecases/login/login")
    }
}
