import StoreJSON
import StoreJSONSchema
import StoreTelemetry
import StoreWire

/// Reads the parameters of a view from the query of a URL.
struct ViewQuery: Sendable {
    /// The parameters' names in the order of their declaration.
    let names: [String]
    private let viewName: String
    private let schemas: [JSONSchema.Property]
    private let decode: @Sendable ([UInt8]) -> Result<any Codable & Sendable, JSONError>
    private let logger: Logger

    init(of view: String, _ type: any (Codable & Sendable).Type, _ logger: Logger) {
        self.viewName = view
        self.logger = logger
        decode = Self.decoder(of: type)
        let document = JSONSchemaDocument(of: [type])
        if case .object(let properties) = document.roots[0] {
            // A query can't have a null, so an absent parameter means null.
            schemas = properties.map { property in
                guard case .nullable(let inner) = property.schema else { return property }
                return JSONSchema.Property(property.name, inner, isRequired: false)
            }
        } else {
            schemas = []
        }
        names = schemas.map(\.name)
    }

    /// The parameters as a route declares them. They allow any text, because ``readParameters(_:)``
    /// decodes all of them together.
    var parameters: [any RouteParameter] {
        schemas.map { property in
            Parameter<String>(
                description: .init(
                    property.name,
                    in: .query,
                    property.schema,
                    summary: "A parameter that the view declares.",
                    isRequired: property.isRequired
                ),
                allowedValues: "a parameter of the view"
            ) { $0 }
        }
    }

    /// Decodes the parameters, and returns their values and canonical text. `text` returns the text
    /// of a parameter by its name. Two queries with the same meaning have the same canonical text.
    ///
    /// - Throws: 400 with the name of the parameter that the view does not allow.
    func readParameters(
        _ text: (String) -> String?
    ) throws(Problem) -> (value: any Codable & Sendable, canonical: String) {
        var json = JSONWriter()
        json.object { json in
            for schema in schemas {
                guard let text = text(schema.name) else { continue }
                json.key(schema.name)
                if Self.allowsText(schema.schema) {
                    json.string(text)
                } else {
                    json.raw(Self.scalarJSON(ofText: text))
                }
            }
        }
        let bytes = json.byteArray
        do {
            return (try decode(bytes).get(), String(decoding: bytes, as: UTF8.self))
        } catch {
            // The values and the text of the error may be secret. So the log gets only the names
            // and the error's type.
            if let failure = error.underlyingError {
                let given = names.filter { text($0) != nil }
                logger.error(
                    .payloadRefused,
                    "the type's own decoding code refused the parameters of the view \(viewName) "
                        + "(\(given.joined(separator: ", "))): \(type(of: failure))"
                )
            }
            let name = error.pointer.split(separator: "/").first.map(String.init) ?? ""
            throw .badQuery(name, allowed: error.expected ?? error.message)
        }
    }

    private static func decoder<Value: Codable & Sendable>(
        of type: Value.Type
    ) -> @Sendable ([UInt8]) -> Result<any Codable & Sendable, JSONError> {
        { bytes in
            Result { () throws(JSONError) in try JSONDecoder().decode(Value.self, from: bytes) }
        }
    }

    private static func allowsText(_ schema: JSONSchema) -> Bool {
        switch schema {
        case .boolean, .number, .integer, .integerEnum, .null: false
        case .nullable(let inner): allowsText(inner)
        case .anyOf(let schemas), .oneOf(let schemas): schemas.contains(where: allowsText)
        default: true
        }
    }

    /// Returns the JSON for the text of a number or a boolean. The text itself is JSON if it is
    /// `true`, `false`, or a number without an exponent. The function makes a JSON string from any
    /// other text. The decoder refuses this string with an error that names the parameter. So two
    /// texts never have the same value: `10` is a number, but `1e1` is refused.
    private static func scalarJSON(ofText text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        if let document = try? JSONDocument(parsing: bytes, limits: JSONLimits()),
            [.number, .true, .false].contains(document.root.kind),
            document.root.source.count == bytes.count,
            !bytes.contains(UInt8(ascii: "e")) || document.root.kind != .number,
            !bytes.contains(UInt8(ascii: "E"))
        {
            return bytes
        }
        var json = JSONOutput(capacity: bytes.count + 2)
        json.string(text)
        return json.array
    }
}
