// swift-tools-version: 6.2
import PackageDescription

/// The fuzzer, in a package of its own: what is built with unsafe flags can't be depended on.
let package = Package(
    name: "Fuzz",
    dependencies: [.package(name: "StoreServer", path: "../..")],
    targets: [
        .executableTarget(
            name: "FuzzJSON",
            dependencies: [.product(name: "WireFoundation", package: "StoreServer")],
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .unsafeFlags(["-parse-as-library"]),
            ]
        )
    ]
)
