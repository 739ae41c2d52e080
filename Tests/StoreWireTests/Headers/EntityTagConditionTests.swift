import Testing

@testable import StoreWire

@Suite struct EntityTagConditionTests {
    @Test func `reads a star, one tag, and lists with weak tags and empty elements`() {
        #expect(EntityTagCondition(" * ") == .any)
        #expect(EntityTagCondition("\"a:1\"") == .list([EntityTag(opaque: "a:1")]))
        #expect(
            EntityTagCondition(" ,\"a\" ,, W/\"b\"\t,\"\",")
                == .list([
                    EntityTag(opaque: "a"), EntityTag(opaque: "b", isWeak: true),
                    EntityTag(opaque: ""),
                ])
        )
        #expect(EntityTagCondition("\"a\\\"") == .list([EntityTag(opaque: "a\\")]))
        #expect(
            EntityTagCondition("\"a,b\",\"c\"")?.matchesWeakly(EntityTag(opaque: "a,b")) == true
        )
    }

    @Test(arguments: [
        "", " ", ",", "a", "4f1c09ab:42", "\"a", "a\"", "\"a\"\"b\"", "w/\"a\"", "W/a", "W \"a\"",
        "*, \"a\"", "\"a\", *", "**", "\"a b\"", "\"a\u{1}\"", "\"a\u{7F}\"",
    ])
    func `refuses what is no list of tags`(text: String) {
        #expect(EntityTagCondition(text) == nil)
    }

    @Test func `a strong comparison never matches a weak tag, a weak one does`() {
        let current = EntityTag(opaque: "a")
        let weak = EntityTagCondition("W/\"a\"")

        #expect(weak?.matchesStrongly(current) == false)
        #expect(weak?.matchesWeakly(current) == true)
        #expect(EntityTagCondition("\"b\", \"a\"")?.matchesStrongly(current) == true)
        #expect(EntityTagCondition("\"b\"")?.matchesWeakly(current) == false)
        #expect(EntityTagCondition("*")?.matchesStrongly(current) == true)
    }

    @Test func `refuses at the bound of tags`() {
        let full = Array(repeating: "\"a\"", count: EntityTagCondition.tagsMax)

        #expect(EntityTagCondition(full.joined(separator: ",")) != nil)
        #expect(EntityTagCondition((full + ["\"a\""]).joined(separator: ",")) == nil)
    }
}
