/// A value of any type, as itself.
package struct Whole: Encodable {
    package let value: any Encodable

    package init(_ value: any Encodable) { self.value = value }

    package func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}
