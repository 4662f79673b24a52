#!/bin/sh
# The processes of docker-compose.yml without Docker: two gateways on one PostgreSQL, on ports 4001 and 4002, and nginx on 8080 before them if it is installed.
# Ends all of them on Ctrl-C.
# usage: DATABASE_URL=postgresql://… scripts/replicas.sh
set -eu
: "${DATABASE_URL:?set DATABASE_URL to a PostgreSQL database}"
cd "$(dirname "$0")/.."
npm run -s generate
work=$(mktemp -d)
started=
trap 'kill $started 2>/dev/null; wait; rm -rf "$work"' EXIT
trap 'exit 0' INT TERM

start_gateway() {
  PORT=$1 DEMO=true TRUSTED_PROXIES=loopback node --import tsx src/main.ts &
  started="$started $!"
  until curl -fs "http://127.0.0.1:$1/readyz" >/dev/null; do
    kill -0 "$!" || exit 1
    sleep 0.2
  done
}
# One after the other: the first loads the demo data.
start_gateway 4001
start_gateway 4002

nginx=$(command -v nginx || echo /usr/sbin/nginx)
if [ -x "$nginx" ]; then
  {
    printf 'pid %s/nginx.pid;\nerror_log %s/error.log;\n' "$work" "$work"
    sed -e 's/gateway-1:4000/127.0.0.1:4001/; s/gateway-2:4000/127.0.0.1:4002/; s/listen 8080/listen 127.0.0.1:8080/' \
      -e "s|^http {|http {\n  access_log off;\n  client_body_temp_path $work/body;\n  proxy_temp_path $work/proxy;\n  fastcgi_temp_path $work/fastcgi;\n  uwsgi_temp_path $work/uwsgi;\n  scgi_temp_path $work/scgi;|" deploy/nginx.conf
  } >"$work/nginx.conf"
  "$nginx" -e "$work/error.log" -p "$work" -c "$work/nginx.conf" -g 'daemon off;' &
  started="$started $!"
  echo 'Both are behind http://127.0.0.1:8080'
fi
wait
