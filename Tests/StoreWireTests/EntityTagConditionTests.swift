import Testing

@testable import StoreWire

@Suite struct EntityTagConditionTests {
    @Test func `a condition may be a star, a tag, or a list with weak tags and gaps`() {
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
    func `a text that is no list of tags is refused`(text: String) {
        #expect(EntityTagCondition(text) == nil)
    }

    @Test func `a strong comparison matches no weak tag, and a weak comparison does`() {
        let current = EntityTag(opaque: "a")
        let weak = EntityTagCondition("W/\"a\"")

        #expect(weak?.matchesStrongly(current) == false)
        #expect(weak?.matchesWeakly(current) == true)
        #expect(EntityTagCondition("\"b\", \"a\"")?.matchesStrongly(current) == true)
        #expect(EntityTagCondition("\"b\"")?.matchesWeakly(current) == false)
        #expect(EntityTagCondition("*")?.matchesStrongly(current) == true)
    }

    @Test func `a list beyond the bound of tags is refused`() {
        let full = Array(repeating: "\"a\"", count: EntityTagCondition.tagsMax)

        #expect(EntityTagCondition(full.joined(separator: ",")) != nil)
        #expect(EntityTagCondition((full + ["\"a\""]).joined(separator: ",")) == nil)
    }
}
