// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Counter",
    dependencies: [.package(name: "StoreServer", path: "../..")],
    targets: [
        .executableTarget(
            name: "Counter",
            dependencies: [.product(name: "StoreServer", package: "StoreServer")]
        ),
        .testTarget(
            name: "CounterTests",
            dependencies: ["Counter", .product(name: "StoreTesting", package: "StoreServer")]
        ),
    ]
)
