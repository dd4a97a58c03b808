import { APIGatewayProxyEvent } from 'aws-lambda';
import axios from 'axios';

const load = (event: APIGatewayProxyEvent) => event.queryStringParameters!.address!; // source: query

export const run = async (input: APIGatewayProxyEvent) => axios.get(load(input)); // sink: ssrf query
