// SPDX-License-Identifier: BSD-2-Clause
import java.io.IOException;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.AbstractHandler;

/** Jetty 9 with one handler. Arguments: seconds, address. */
public class JettyServer {
	public static void main(String[] args) throws Exception {
		Server server = new Server();
		ServerConnector connector = new ServerConnector(server);
		Work work = new Work();

		connector.setHost(args.length > 1 ? args[1] : "127.0.0.1");
		connector.setAcceptQueueSize(1024);
		server.addConnector(connector);
		server.setHandler(new AbstractHandler() {
			@Override
			public void handle(String target, Request request, HttpServletRequest servlet, HttpServletResponse response)
				throws IOException {
				request.setHandled(true);
				work.handle(target, servlet.getQueryString(), (status, body) -> {
					response.setStatus(status);
					response.setContentLength(body.length);
					response.getOutputStream().write(body);
				});
			}
		});
		server.start();
		Life.live(args, connector.getLocalPort(), work, server::stop);
	}
}
