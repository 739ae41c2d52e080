/// The requests of an `init(from:)` in one run, from which a schema is made.
final class SchemaShape {
    private enum Container {
        case keyed, unkeyed, single
    }

    private struct Member {
        let name: String
        var schemas: [JSONSchema] = []
        var child: SchemaShape?
        var isRequired = true
        var isNullable = false
    }

    private var container: Container?
    private var members: [Member] = []
    private var elements: [Element] = []
    private var single: [JSONSchema] = []
    private var isNullable = false
    /// True if `isAtEnd` was read before the first element: the type reads a loop, not a tuple.
    private var isLoop = false

    private enum Element {
        case schema(JSONSchema)
        case child(SchemaShape)
    }

    /// The number of recorded members or elements. If a type is decoded twice, the deriver keeps
    /// the larger shape.
    private(set) var size = 0

    // Keyed

    func openKeyed() {
        container = .keyed
    }

    /// Records a member. A member is not required if the type calls `contains` for it first.
    func member(_ name: String, _ schema: JSONSchema, isRequired: Bool) {
        let index = index(of: name, isRequired: isRequired)
        members[index].schemas.append(schema)
    }

    func child(_ name: String) -> SchemaShape {
        let index = index(of: name, isRequired: true)
        if let child = members[index].child { return child }
        let child = SchemaShape()
        members[index].child = child
        return child
    }

    func asked(for name: String) {
        _ = index(of: name, isRequired: false)
    }

    func askedForNull(_ name: String) {
        let index = index(of: name, isRequired: true)
        members[index].isNullable = true
    }

    private func index(of name: String, isRequired: Bool) -> Int {
        if let index = members.firstIndex(where: { $0.name == name }) { return index }
        size += 1
        members.append(Member(name: name, isRequired: isRequired))
        return members.count - 1
    }

    // Unkeyed

    func openUnkeyed() {
        container = .unkeyed
    }

    func askedForEnd() {
        if elements.isEmpty { isLoop = true }
    }

    func element(_ schema: JSONSchema) {
        size += 1
        elements.append(.schema(schema))
    }

    func elementChild() -> SchemaShape {
        let child = SchemaShape()
        size += 1
        elements.append(.child(child))
        return child
    }

    // Single

    func openSingle() {
        container = .single
    }

    func value(_ schema: JSONSchema) {
        size += 1
        single.append(schema)
    }

    func askedForNull() {
        isNullable = true
    }

    // Result

    /// True if the type has asked for a container.
    var isOpened: Bool { container != nil }

    /// The names of the members, if the value is an object.
    var names: [String] { members.map(\.name) }

    var schema: JSONSchema {
        let schema: JSONSchema
        switch container {
        case nil: schema = .any
        case .keyed: schema = .object(members.map(property))
        case .unkeyed:
            let parts = elements.map { element in
                switch element {
                case .schema(let schema): schema
                case .child(let shape): shape.schema
                }
            }
            schema = isLoop || parts.isEmpty ? .array(of: .union(parts)) : .tuple(parts)
        case .single: schema = .union(single)
        }
        return isNullable ? schema.orNull : schema
    }

    private func property(_ member: Member) -> JSONSchema.Property {
        let parts = member.schemas + (member.child.map { [$0.schema] } ?? [])
        let schema = JSONSchema.union(parts)
        return JSONSchema.Property(
            member.name,
            member.isNullable ? schema.orNull : schema,
            isRequired: member.isRequired
        )
    }
}
