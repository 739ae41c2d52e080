/// The containers and values that an `init(from:)` has read in one run. The schema of the type is
/// made from this shape.
final class SchemaShape {
    enum ContainerKind {
        case keyed, unkeyed, singleValue
    }

    private struct Member {
        let name: String
        var schemas: [JSONSchema] = []
        var child: SchemaShape?
        var isRequired = true
        var isNullable = false
    }

    /// The kind of container that the type requested last; `nil` if the type has requested no
    /// container.
    var containerKind: ContainerKind?
    private var members: [Member] = []
    private var makeElementSchemas: [() -> JSONSchema] = []
    private var singleValues: [JSONSchema] = []
    private var isNullable = false
    /// True if `isAtEnd` was read before the first element: the type reads elements in a loop.
    private var readsElementsInLoop = false

    /// The number of recorded members, elements and single values. If all runs of a type fail, the
    /// deriver uses the run with the greatest number.
    private(set) var notedCount = 0

    // Keyed

    /// Records a member that the type decodes. A member is not required if the type has called
    /// `contains` for it before.
    func noteMember(_ name: String, _ schema: JSONSchema, isRequired: Bool) {
        members[findOrAddMember(name, isRequired: isRequired)].schemas.append(schema)
    }

    func addMemberChild(_ name: String) -> SchemaShape {
        let index = findOrAddMember(name, isRequired: true)
        if let child = members[index].child { return child }
        let child = SchemaShape()
        members[index].child = child
        return child
    }

    func notePresenceCheck(of name: String) { _ = findOrAddMember(name, isRequired: false) }

    func noteNullCheck(of name: String) {
        members[findOrAddMember(name, isRequired: true)].isNullable = true
    }

    private func findOrAddMember(_ name: String, isRequired: Bool) -> Int {
        if let index = members.firstIndex(where: { $0.name == name }) { return index }
        notedCount += 1
        members.append(Member(name: name, isRequired: isRequired))
        return members.count - 1
    }

    // Unkeyed

    func noteEndCheck() {
        if makeElementSchemas.isEmpty { readsElementsInLoop = true }
    }

    func noteElement(_ schema: JSONSchema) {
        notedCount += 1
        makeElementSchemas.append { schema }
    }

    func addElementChild() -> SchemaShape {
        let child = SchemaShape()
        notedCount += 1
        makeElementSchemas.append { child.schema }
        return child
    }

    // Single

    func noteSingleValue(_ schema: JSONSchema) {
        notedCount += 1
        singleValues.append(schema)
    }

    func noteNullCheck() { isNullable = true }

    // Result

    /// The names of the recorded members; empty if the value is no object.
    var memberNames: [String] { members.map(\.name) }

    var schema: JSONSchema {
        let schema: JSONSchema
        switch containerKind {
        case nil: schema = .any
        case .keyed: schema = .object(members.map(property))
        case .unkeyed:
            let parts = makeElementSchemas.map { $0() }
            schema =
                readsElementsInLoop || parts.isEmpty ? .array(of: .union(parts)) : .tuple(parts)
        case .singleValue: schema = .union(singleValues)
        }
        return isNullable ? schema.orNull : schema
    }

    private func property(_ member: Member) -> JSONSchema.Property {
        let parts = member.schemas + (member.child.map { [$0.schema] } ?? [])
        let union = JSONSchema.union(parts)
        let schema = member.isNullable ? union.orNull : union
        return JSONSchema.Property(member.name, schema, isRequired: member.isRequired)
    }
}
