// SPDX-License-Identifier: BSD-2-Clause
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.catalina.Context;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;

/** Tomcat 10 with one servlet. Arguments: seconds, address. */
public class TomcatServer {
	public static void main(String[] args) throws Exception {
		Tomcat tomcat = new Tomcat();
		Path base = Files.createTempDirectory("tomcat");
		Connector connector = new Connector("HTTP/1.1");
		Work work = new Work();

		tomcat.setBaseDir(base.toString());
		connector.setPort(0);
		connector.setProperty("address", args.length > 1 ? args[1] : "127.0.0.1");
		connector.setProperty("acceptCount", "1024");
		connector.setProperty("maxKeepAliveRequests", "-1");
		tomcat.setConnector(connector);
		serve(tomcat.addContext("", base.toString()), work);
		tomcat.start();
		Life.live(args, connector.getLocalPort(), work, () -> {
			tomcat.stop();
			delete(base);
		});
	}

	private static void serve(Context context, Work work) {
		Tomcat.addServlet(context, "all", new HttpServlet() {
			@Override
			protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
				work.handle(request.getRequestURI(), request.getQueryString(), (status, body) -> {
					response.setStatus(status);
					response.setContentLength(body.length);
					response.getOutputStream().write(body);
				});
			}
		}).addMapping("/");
	}

	private static void delete(Path directory) throws IOException {
		try (var paths = Files.walk(directory)) {
			paths.sorted(java.util.Comparator.reverseOrder()).forEach(path -> path.toFile().delete());
		}
	}
}
