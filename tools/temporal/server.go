package main

import (
	"fmt"
	"net"
	"strconv"

	ui "github.com/temporalio/ui-server/v2/server"
	uiconfig "github.com/temporalio/ui-server/v2/server/config"
	uioptions "github.com/temporalio/ui-server/v2/server/server_options"
	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/cluster"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/dynamicconfig"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/membership/static"
	"go.temporal.io/server/common/metrics"
	"go.temporal.io/server/common/persistence/sql/sqlplugin/sqlite"
	"go.temporal.io/server/common/primitives"
	schema "go.temporal.io/server/schema/sqlite"
	"go.temporal.io/server/temporal"
)

const (
	clusterName = "active"
	store       = "sqlite"
)

// run ends with SIGTERM or SIGINT.
func (o *options) run() error {
	hosts, services, err := o.services()
	if err != nil {
		return err
	}
	database := o.sql()
	namespace, err := schema.NewNamespaceConfig(clusterName, "default", false, o.searchAttributes)
	if err != nil {
		return err
	}
	if err := schema.CreateNamespaces(database, namespace); err != nil {
		return err
	}
	// As the tool sets them: a cache for one machine, and a Web UI that may list as it likes.
	o.dynamicConfig[dynamicconfig.HistoryCacheHostLevelMaxSize.Key()] = 8_096
	o.dynamicConfig[dynamicconfig.FrontendMaxNamespaceVisibilityRPSPerInstance.Key()] = 100
	server, err := temporal.NewServer(
		temporal.WithConfig(o.config(database, services)),
		temporal.WithStaticHosts(hosts),
		temporal.ForServices(temporal.DefaultServices),
		temporal.WithDynamicConfigClient(o.dynamicConfig),
		temporal.WithLogger(log.NewZapLogger(log.BuildZapLogger(log.Config{Level: o.logLevel}))),
		temporal.WithAuthorizer(authorization.NewNoopAuthorizer()),
		temporal.WithClaimMapper(func(*config.Config) authorization.ClaimMapper {
			return authorization.NewNoopClaimMapper()
		}),
		temporal.InterruptOn(temporal.InterruptCh()),
	)
	if err != nil {
		return err
	}
	if !o.headless {
		go o.serveUI()
	}
	return server.Start()
}

func (o *options) sql() *config.SQL {
	// The tables are made where there are none.
	attributes := map[string]string{"mode": "rwc", "setup": "true"}
	for name, value := range o.pragmas {
		attributes[name] = value
	}
	return &config.SQL{PluginName: sqlite.PluginName, DatabaseName: o.database, ConnectAttributes: attributes}
}

func (o *options) config(database *config.SQL, services map[string]config.Service) *config.Config {
	conf := &config.Config{Services: services}
	conf.Global.Membership.BroadcastAddress = o.ip
	if o.metricsPort != 0 {
		conf.Global.Metrics = &metrics.Config{
			Prometheus: &metrics.PrometheusConfig{ListenAddress: o.address(o.metricsPort), HandlerPath: "/metrics"},
		}
	}
	conf.Persistence = config.Persistence{
		DefaultStore:     store,
		VisibilityStore:  store,
		NumHistoryShards: 1,
		DataStores:       map[string]config.DataStore{store: {SQL: database}},
	}
	conf.ClusterMetadata = &cluster.Config{
		FailoverVersionIncrement: 10,
		MasterClusterName:        clusterName,
		CurrentClusterName:       clusterName,
		ClusterInformation: map[string]cluster.ClusterInformation{
			clusterName: {
				Enabled:                true,
				InitialFailoverVersion: 1,
				RPCAddress:             o.address(o.port),
				HTTPAddress:            o.address(o.httpPort),
			},
		},
	}
	conf.DCRedirectionPolicy.Policy = "noop"
	conf.Archival.History.State = "disabled"
	conf.Archival.Visibility.State = "disabled"
	conf.NamespaceDefaults.Archival.History.State = "disabled"
	conf.NamespaceDefaults.Archival.Visibility.State = "disabled"
	conf.PublicClient.HostPort = o.address(o.port)
	return conf
}

// services has the frontend at the given port, and what is behind it at free ones.
func (o *options) services() (map[primitives.ServiceName]static.Hosts, map[string]config.Service, error) {
	hosts := map[primitives.ServiceName]static.Hosts{}
	services := map[string]config.Service{}
	for _, name := range temporal.DefaultServices {
		rpc := config.RPC{GRPCPort: o.port, HTTPPort: o.httpPort, BindOnIP: o.ip}
		if name != string(primitives.FrontendService) {
			port, err := freePort(o.ip)
			if err != nil {
				return nil, nil, err
			}
			rpc = config.RPC{GRPCPort: port, BindOnIP: o.ip}
		}
		hosts[primitives.ServiceName(name)] = static.SingleLocalHost(o.address(rpc.GRPCPort))
		services[name] = config.Service{RPC: rpc}
	}
	return hosts, services, nil
}

// serveUI ends the process when the port is taken, with the reason in the log.
func (o *options) serveUI() {
	_ = ui.NewServer(uioptions.WithConfigProvider(&uiconfig.Config{
		Host:                o.ip,
		Port:                o.uiPort,
		TemporalGRPCAddress: o.address(o.port),
		EnableUI:            true,
		CORS:                uiconfig.CORS{CookieInsecure: true},
		HideLogs:            true,
	})).Start()
}

func (o *options) address(port int) string {
	return net.JoinHostPort(o.ip, strconv.Itoa(port))
}

func freePort(ip string) (int, error) {
	listener, err := net.Listen("tcp", net.JoinHostPort(ip, "0"))
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	address, ok := listener.Addr().(*net.TCPAddr)
	if !ok {
		return 0, fmt.Errorf("%v is no address of TCP", listener.Addr())
	}
	return address.Port, nil
}
